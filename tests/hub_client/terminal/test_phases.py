"""A word for every phase, on stderr, and only within the command."""

import logging

from hub_client.terminal.phases import LOGGER, phases_on_stderr


def test_a_phase_is_one_line_on_stderr_and_escapes_are_written_out(capsys):
    with phases_on_stderr():
        logging.getLogger(LOGGER).info("building %s", "\x1b[2Jx")
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "building \\x1b[2Jx …\n")


def test_afterwards_the_programs_own_logging_is_as_it_was(capsys):
    logger = logging.getLogger(LOGGER)
    before = (logger.level, list(logger.handlers))
    try:
        with phases_on_stderr():
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    assert (logger.level, list(logger.handlers)) == before
    logger.info("nobody asked")
    assert capsys.readouterr().err == ""
