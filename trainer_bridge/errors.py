"""The errors of training, all below one root class.

TrainerBridgeError
  SettingsError              a setting is unknown, out of range or contradicts another
    RecipeError              a recipe names an unknown component or parameter
    EnvironmentUnfitError    the environment cannot be trained on (no tasks, no scores)
  ModelError                 the model cannot be loaded or converted
    ModelUnreachableError    its weights could not be fetched
    ModelIntegrityError      the fetched files are not those whose digests are pinned
  EngineError                vLLM refuses, does not answer, or answers with what cannot be learnt from
  ScoringError               not one sample of a step could be judged
  NoSignalError              dynamic sampling found no group whose rewards differ
  NonFiniteLossError         loss or gradients are NaN or infinite
  OtherProcessError          a run over several processes has lost one of them
  CheckpointMismatchError    the checkpoint belongs to other settings, or is damaged
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
    """The engine that writes the samples refuses, does not answer, or answers with what cannot be learnt from."""

    exit_code = 8


class ScoringError(TrainerBridgeError):
    """Not one sample of a step could be judged, or a verdict came for a sample that was not sent."""

    exit_code = 8


class NoSignalError(TrainerBridgeError):
    """Within the sampling cap, no group's rewards differed: there is nothing to learn from."""


class NonFiniteLossError(TrainerBridgeError):
    """Loss or gradients became NaN or infinite.

    The failed update changed no weight; the message says how many updates preceded it.
    """


class CheckpointMismatchError(TrainerBridgeError):
    """The checkpoint belongs to another run, or is damaged."""

    exit_code = 5


class OtherProcessError(TrainerBridgeError):
    """Another process of a run over several failed, has ended, or did not answer in time."""
