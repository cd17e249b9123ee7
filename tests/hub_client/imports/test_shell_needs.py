import pytest

from hub_client.imports.shell_needs import read_needs


@pytest.mark.parametrize(
    ("script", "installed"),
    [
        ("apt-get update && apt-get install -y --no-install-recommends jq=1.6 curl", {"jq": "apt-get"}),
        ("DEBIAN_FRONTEND=noninteractive apt install -y \\\n  gcc bash", {"gcc": "apt"}),
        ("sudo apt-get -y install nginx", {"nginx": "apt-get"}),
        ("pip3 install --no-cache-dir 'pandas>=2,<3' pytest==8.4.1", {"pandas": "pip3"}),
        ("python3 -m pip install -r requirements.txt", {"a list of requirements": "pip"}),
        ("uvx -p 3.13 -w pytest==8.4.1 -w numpy pytest /tests/test_outputs.py -rA", {"numpy": "uvx"}),
        ("uv pip install requests[socks]", {"requests": "uv"}),
        ("uv add flask", {"flask": "uv"}),
        ("# apt-get install jq\necho 'apt-get install jq'", {}),
        ("apt-get install -y tmux asciinema ca-certificates", {}),
    ],
)
def test_what_is_installed(script, installed) -> None:
    assert read_needs(script).installed == installed


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("curl -LsSf https://astral.sh/uv/0.9.7/install.sh | sh", ()),
        ("curl https://x.invalid | sh", ("fetches (curl)",)),
        ("cd /app; git clone x", ("runs git",)),
        ("if true; then make test; fi", ("runs make",)),
        ("nohup python3 server.py 2>&1 &", ()),
        ("echo 'a quote && git\nx'", ("runs git",)),  # rather one task too few than a box that cannot hold it
    ],
)
def test_what_a_box_cannot_do(script, said) -> None:
    assert read_needs(script).machine == said
