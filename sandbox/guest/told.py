"""Functions that stand in the place of some that are written in C."""

import ctypes
import gc
from collections.abc import Callable
from typing import Any


class Told:
    """A function in the place of one that is written in C: as that one it is never bound to an instance.

    ``logging.Formatter.converter = time.localtime`` would hand over the formatter otherwise.
    """

    def __init__(self, module: object, name: str, function: Callable[..., Any]) -> None:
        self.__name__ = self.__qualname__ = name
        self.__module__ = str(vars(module)["__name__"])
        self.__self__, self._before = module, getattr(module, name)
        self.__doc__ = self._before.__doc__
        self.__annotations__: dict[str, Any] = {}  # ``typing.get_type_hints`` asks the instance
        self._function = function
        setattr(module, name, self)

    @property
    def __signature__(self) -> Any:
        """What ``inspect.signature`` says of the function that was there; where it says nothing, any arguments."""
        import inspect  # noqa: PLC0415 -- few ask, and every box would wait for it

        try:
            return inspect.signature(self._before)
        except ValueError as error:
            raise AttributeError("__signature__") from error

    def __repr__(self) -> str:
        """As of that one: what tells no address is the same in every process."""
        return f"<built-in function {self.__name__}>"

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._function(*given, **named)

    def __reduce__(self) -> str:
        return self.__name__


def set_on_type(kind: type, name: str, member: Any) -> None:
    """Replace a member of a type that is written in C, in the one place where all of its users look."""
    function = getattr(member, "__func__", member)
    function.__name__ = name  # ``pickle`` refers to a class method by it
    function.__qualname__ = f"{kind.__name__}.{name}"
    members = gc.get_referents(kind.__dict__)[0]
    members[name] = member
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))
