"""The errors of training. All have one root class.

TrainerBridgeError
  SettingsError              a setting is unknown, out of range or contradicts another
    RecipeError              a recipe names an unknown component or parameter
    EnvironmentUnfitError    the environment cannot be trained on (no tasks, no scores)
  ModelError                 the model cannot be loaded or converted
    ModelUnreachableError    its weights could not be fetched
    ModelIntegrityError      the fetched files are not those whose digests are pinned
  EngineError                vLLM refuses a request, does not answer, or sends an unusable answer
  ScoringError               not one sample of a step could be judged
  NoSignalError              no group's rewards differed, so there is nothing to learn
  NonFiniteLossError         loss or gradients are NaN or infinite
  OtherProcessError          another process of the run failed or ended
  CheckpointMismatchError    the checkpoint belongs to other settings, or is damaged
  NotWrittenError            a checkpoint or a model could not be written: the disk is full, say
"""

from typing import ClassVar


class TrainerBridgeError(Exception):
    """Root of the package's errors. ``exit_code`` is what the command line ends with."""

    exit_code: ClassVar[int] = 1


class SettingsError(TrainerBridgeError):
    """A setting is unknown, out of range, or contradicts another."""

    exit_code = 2


class RecipeError(SettingsError):
    """A recipe names an unknown component or parameter, or is not readable."""


class EnvironmentUnfitError(SettingsError):
    """The environment cannot be trained on as it is."""


class ModelError(TrainerBridgeError):
    """The model cannot be loaded or converted."""


class UnknownModelError(ModelError):
    """No model has that name here."""

    exit_code = 2


class ModelUnreachableError(ModelError):
    """The model's weights could not be fetched."""

    exit_code = 8


class ModelIntegrityError(ModelError):
    """The fetched files do not have the pinned digests."""

    exit_code = 7


class EngineError(TrainerBridgeError):
    """The sampling engine refuses a request, does not answer, or sends an answer that cannot be trained on."""

    exit_code = 8


class ScoringError(TrainerBridgeError):
    """Not one sample of a step could be judged, or a verdict came for a sample that was not sent."""

    exit_code = 8


class NoSignalError(TrainerBridgeError):
    """In several steps no group's rewards differed, so there is nothing to learn."""


class NonFiniteLossError(TrainerBridgeError):
    """Loss or gradients became NaN or infinite.

    The failed update changed no weight. The message says how many updates came before it in this step.
    """


class CheckpointMismatchError(TrainerBridgeError):
    """The checkpoint belongs to another run, or is damaged."""

    exit_code = 5


class NotWrittenError(TrainerBridgeError):
    """A checkpoint or a model could not be written."""


class OtherProcessError(TrainerBridgeError):
    """Another process of the run failed, has ended, or did not answer in time."""
