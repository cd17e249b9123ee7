"""Why something about webhooks is refused."""

from hub_server.errors import InvalidRequestError, NotFoundError
from schemas.problem import ProblemCode


class WebhookNotFoundError(NotFoundError):
    """There is no such webhook or delivery, or it is somebody else's."""

    code = ProblemCode.WEBHOOK_NOT_FOUND
    title = "No such webhook"


class WebhookRefusedError(InvalidRequestError):
    """The address cannot be a webhook's, there are too many, or what is asked for is not possible now."""

    code = ProblemCode.WEBHOOK_REFUSED
    title = "This webhook is refused"
