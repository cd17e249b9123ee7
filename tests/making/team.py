"""Who is who in an organisation, for tests of who may do what there."""

from tests.making.action_driver import person

NAMES = ("ann", "ben", "cleo", "stranger")
OWNER, MEMBER, STRANGER, NOBODY = person("ann"), person("ben"), person("stranger"), None
