"""The messages between the zygote and a child: SEQPACKET messages whose first byte is their kind.

::

    child to zygote   ``R``/``E`` part/last part of a call group's reply stream
                      ``a``/``A`` part/last part of a request for a solution box
                      ``v``/``V`` part/last part of a session's reply
                      ``B`` a session has branched (the branch's process id; its line comes as a descriptor)
    zygote to child   ``s``/``S`` part/last part of a solution's reply · ``g``/``G`` part/last part of a worker's call
    group
                      ``q``/``Q`` part/last part of a request to a session
"""

PART_BYTES = 64 << 10  # a message must fit into a socket's buffer whole: 212,992 bytes unless Linux is told otherwise

REPLIES, PART_OF_ASK, ASK, END = b"RaAE"
PART_OF_SOLVED, SOLVED, PART_OF_GROUP, GROUP = b"sSgG"
PART_OF_SAY, SAY, BRANCHED = b"vVB"
PART_OF_REQUEST, REQUEST = b"qQ"
