"""From a plain config node with a `_target_` to the object it describes: allow-listed, bound and checked first.

A node is a mapping: `_target_` names a class, `_partial_: true` asks for a function that still takes the parameters
which only the program knows, every other key is a parameter of its constructor. A value that is a node itself is built
first. The parameter that a partial node is given to is annotated with a protocol, whose `__call__` names what the
program adds. Knows neither OmegaConf nor Hydra, so that the plain config in a checkpoint is read by the same code as
the one on the command line.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from nmt.config.typed import expected, fits, near_choice, options, shown
from nmt.errors import ParameterError, UserError, did_you_mean, one_line

_TARGET, _PARTIAL = "_target_", "_partial_"
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")


def instantiate(
    node: Mapping[str, Any],
    path: str,
    *,
    within: Sequence[str],
    allow: Sequence[str] = (),
    offered: Mapping[str, Any] = MappingProxyType({}),
    origins: Mapping[str, str] = MappingProxyType({}),
    **runtime: Any,
) -> Any:
    """Return the object (or the function, for a `_partial_` node) that `node` describes.

    `path` is the dotted key of `node` in the config ("model.encoder") and begins every message. `within` names the
    packages or modules whose classes a `_target_` may name here ("nmt.models"), and `allow` further ones that the user
    opened for this run: importing a config from a stranger's checkpoint must not run a stranger's code. `runtime` holds
    arguments that only the program knows; a config must not set them. `offered` holds arguments that the constructor is
    given if it names them. `origins` maps the key of a node that is a copy to the key of the original, which the user
    sets and messages name.

    Raises UserError once, with all problems of the node and of the nodes in it: a target that is not allowed or not
    found, unknown, missing and doubly given parameters, values of the wrong type. A ParameterError of a constructor
    becomes a UserError that begins with the parameter's dotted key; its ValueError, TypeError or RuntimeError one that
    begins with `path`. A UserError passes unchanged.
    """
    problems: list[str] = []
    plan = _Planner((*within, *allow), origins, problems).plan(node, path, runtime, offered)
    if plan is None or problems:
        raise UserError("; ".join(problems))
    return _build(plan)


@dataclass(frozen=True)
class _Plan:
    """A node whose keys fit its target; arguments may be plans themselves."""

    target: type
    path: str
    partial: bool
    arguments: dict[str, Any]
    runtime: dict[str, Any]


class _Planner:
    """Binds nodes to the constructors of their targets; adds everything that is wrong to `problems`."""

    def __init__(self, allowed: Sequence[str], origins: Mapping[str, str], problems: list[str]) -> None:
        self.allowed = allowed
        self.origins = origins
        self.problems = problems

    def plan(
        self,
        node: Any,
        path: str,
        runtime: Mapping[str, Any],
        offered: Mapping[str, Any] = MappingProxyType({}),
        later: Sequence[str] = (),
    ) -> _Plan | None:
        """Return the plan of `node`, or None where there is no target to plan for.

        `later` names the parameters that the program adds to a partial node when it calls it.
        """
        target = _resolve(node, path, self.allowed, self.problems)
        if target is None:
            return None
        partial = node.get(_PARTIAL, False)
        if not isinstance(partial, bool):
            self.problems.append(f"{path}.{_PARTIAL}: got {shown(partial)}, expected true or false")
        given = {str(key): value for key, value in node.items() if key not in (_TARGET, _PARTIAL)}
        parameters = _parameters(target, path, self.problems)
        if parameters is None:
            return None
        runtime = {**{key: value for key, value in offered.items() if key in parameters}, **runtime}
        open_ended = bool(partial) and not later
        _bind(target, path, given, (*runtime, *later), parameters, open_ended, self.problems, offered)
        arguments = {}
        for key, value in given.items():
            annotation = parameters.get(key, inspect.Parameter.empty)
            arguments[key] = self._argument(value, annotation, f"{path}.{key}")
        return _Plan(target, path, bool(partial), arguments, dict(runtime))

    def _argument(self, value: Any, annotation: Any, where: str) -> Any:
        """Return `value` as an argument: nodes as plans, lists as tuples where the parameter is a tuple."""
        if isinstance(value, Mapping) and _TARGET in value:
            return self._nested(value, annotation, self.origins.get(where, where))
        if not fits(value, annotation):
            near = near_choice(value, annotation)
            self.problems.append(f"{where}: got {shown(value)}, expected {expected(annotation)}{near}")
        elif isinstance(value, list) and any(typing.get_origin(option) is tuple for option in options(annotation)):
            return tuple(value)
        return value

    def _nested(self, node: Mapping[str, Any], annotation: Any, where: str) -> _Plan | None:
        """Return the plan of a node that is an argument, checked against the parameter's annotation."""
        later, made = _factory(annotation)
        if later and node.get(_PARTIAL) is not True:
            self.problems.append(f"{where}.{_PARTIAL}: expected true, as the program adds {', '.join(later)}")
            return None
        plan = self.plan(node, where, {}, later=later)
        wanted = made if later else annotation
        if plan is not None and (later or not plan.partial) and not _accepts(wanted, plan.target):
            self.problems.append(f"{where}: got {_named(plan.target)}, expected {expected(wanted)}")
        return plan


def _build(plan: _Plan) -> Any:
    arguments = {key: _build(value) if isinstance(value, _Plan) else value for key, value in plan.arguments.items()}

    def construct(**later: Any) -> Any:
        try:
            return plan.target(**arguments, **plan.runtime, **later)
        except UserError:
            raise
        except ParameterError as error:
            raise UserError(f"{plan.path}.{error.parameter}: {error.problem}") from error
        except (ValueError, TypeError, RuntimeError) as error:  # torch raises RuntimeError for sizes it cannot make
            raise UserError(f"{plan.path}: {one_line(error)}") from error

    return construct if plan.partial else construct()


# Targets


def _resolve(node: Any, path: str, allowed: Sequence[str], problems: list[str]) -> type | None:
    """Return the class that the node names, if it may be used."""
    if not isinstance(node, Mapping) or _TARGET not in node:
        problems.append(f"{path}: got {shown(node)}, expected a mapping with {_TARGET}")
        return None
    where, name = f"{path}.{_TARGET}", node[_TARGET]
    prefixes = tuple(f"{prefix}." for prefix in allowed)
    words = f"a class in {', '.join(allowed)}"
    if not isinstance(name, str) or not _DOTTED.fullmatch(name) or not name.startswith(prefixes):
        own = f"; for a class of your own package add allow=[{name.partition('.')[0]}]" if isinstance(name, str) else ""
        problems.append(f"{where}: got {shown(name)}, expected {words}{own}")
        return None
    found = _find(name, where, problems)
    if found is None:
        return None
    # A module also holds what it imports: judge an object by where it was defined.
    if not inspect.isclass(found) or not f"{found.__module__}.".startswith(prefixes):
        problems.append(f"{where}: {name} is not {words}")
        return None
    if inspect.isabstract(found):
        problems.append(f"{where}: {name} is abstract: name a class derived from it")
        return None
    return found


def _find(name: str, where: str, problems: list[str]) -> Any:
    module_name, _, attribute = name.rpartition(".")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise  # a module that the target's module needs is not installed: not a misspelling
        root = name.partition(".")[0]
        problems.append(
            f"{where}: got '{name}', but Python cannot find the module {module_name}{_near_module(module_name)}"
            + ("" if root == "nmt" else f"; install {root}, or put the folder it lies in on PYTHONPATH")
        )
        return None
    if not hasattr(module, attribute):
        classes = [key for key, value in vars(module).items() if inspect.isclass(value)]
        problems.append(f"{where}: {module_name} has no '{attribute}'{did_you_mean(attribute, classes)}")
        return None
    return getattr(module, attribute)


def _near_module(name: str) -> str:
    package_name, _, last = name.rpartition(".")
    try:
        package = importlib.import_module(package_name)
    except (ModuleNotFoundError, ValueError):
        return ""
    return did_you_mean(last, (entry.name for entry in pkgutil.iter_modules(getattr(package, "__path__", ()))))


# Parameters


def _parameters(target: type, path: str, problems: list[str]) -> dict[str, Any] | None:
    """Return the constructor's parameters by name, each with its annotation (empty where it is not known)."""
    signature = inspect.signature(target)
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    if kinds & {inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_ONLY}:
        problems.append(
            f"{path}.{_TARGET}: the constructor of {_named(target)} must name its parameters "
            f"(no *args, **kwargs or positional-only ones), or misspelt keys would pass"
        )
        return None
    try:
        hints = typing.get_type_hints(target.__init__, include_extras=True)  # type: ignore[misc]
    except NameError:  # an annotation imported for type checkers only: its values stay unchecked
        hints = {}
    return {name: hints.get(name, inspect.Parameter.empty) for name in signature.parameters}


def _bind(
    target: type,
    path: str,
    given: Mapping[str, Any],
    runtime: Sequence[str],
    parameters: Mapping[str, Any],
    open_ended: bool,
    problems: list[str],
    offered: Iterable[str],
) -> None:
    """Add what is wrong with the keys of a node to `problems`.

    `runtime` names the parameters that the program sets. A node that is `open_ended` may leave out others.
    """
    lacking = [key for key in runtime if key not in parameters]
    if lacking:  # a target of another kind altogether: what else does not fit it is noise
        problems.append(f"{path}.{_TARGET}: the constructor of {_named(target)} must take {', '.join(lacking)}")
        return
    settable = [name for name in parameters if name not in runtime]
    for key in given:
        if key in runtime:
            problems.append(f"{path}.{key}: the program sets it; leave it out")
        elif key not in parameters:
            near = (
                did_you_mean(key, [*settable, *offered])
                or f"; {target.__name__} takes {', '.join(settable) or 'nothing'}"
            )
            problems.append(f"{path}.{key}: unknown key{near}")
    if open_ended:
        return
    defaults = inspect.signature(target).parameters
    for name in settable:
        if name not in given and defaults[name].default is inspect.Parameter.empty:
            problems.append(f"{path}.{name}: missing; {target.__name__} needs it")


# Values


def _factory(annotation: Any) -> tuple[tuple[str, ...], Any]:
    """Return the parameters that a factory's protocol adds, and the class it makes; no parameters: it is no factory."""
    for option in options(annotation):
        if inspect.isclass(option) and typing.Protocol in option.__bases__:
            hints = typing.get_type_hints(option.__call__)
            return tuple(name for name in hints if name != "return"), hints["return"]
    return (), annotation


def _accepts(annotation: Any, target: type) -> bool:
    """Tell whether an instance of `target` may be given where `annotation` stands."""
    classes = options(annotation)
    if not all(inspect.isclass(option) and option is not inspect.Parameter.empty for option in classes):
        return True
    return any(issubclass(target, option) for option in classes)


def _named(target: type) -> str:
    return f"{target.__module__}.{target.__qualname__}"
