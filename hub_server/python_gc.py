"""How often Python looks for garbage in a process that serves.

Nearly all that a request makes is freed at once, by counting references. The collector looks for what refers to itself
in a circle, and its look through everything reads the 300,000 objects of the hub's own code. Every 60 requests for a
package's page made it look through all once: 200 ms, in which no other request was answered.
"""

import gc

_NEW_OBJECTS = 10_000
"""So many new objects call the collector; Python's own number is 700. With 10,000 it took 0.1 ms of a list of 100
packages, with 5,000 0.5 ms and with 700 1.5 ms (4.3 ms, where the hub's own objects were read too).
"""


def keep_what_is_loaded() -> None:
    """Let the collector leave alone what there is now, and come less often. For a process that serves until it ends."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, 10, 10)
