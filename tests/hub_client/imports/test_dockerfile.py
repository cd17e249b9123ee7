import pytest

from hub_client.imports.dockerfile import Instruction, read_dockerfile
from hub_client.imports.draft import ImportRefusedError


def test_lines_are_joined_and_comments_left_out() -> None:
    text = "# escape=`\nFROM ubuntu:24.04\n\nRUN apt-get update && \\\n    # why\n    apt-get install -y \\\n jq\ncopy a  b\n"
    assert read_dockerfile(text) == [
        Instruction("FROM", "ubuntu:24.04"),
        Instruction("RUN", "apt-get update &&  apt-get install -y  jq"),
        Instruction("COPY", "a  b"),
    ]


@pytest.mark.parametrize("text", ["FROM x\nRUN <<EOF\nrm -rf /\nEOF\n", "FROM x\nCOPY <<E /app/x\nhello\nE\n"])
def test_texts_inside_of_an_instruction_are_refused(text) -> None:
    with pytest.raises(ImportRefusedError, match="a text inside"):
        read_dockerfile(text)


def test_a_line_that_is_no_instruction_is_named() -> None:
    with pytest.raises(ImportRefusedError, match="FRM ubuntu"):
        read_dockerfile("FRM ubuntu")


def test_an_unfinished_line_counts() -> None:
    assert read_dockerfile("FROM x\nRUN a \\") == [Instruction("FROM", "x"), Instruction("RUN", "a")]
