"""YAML as the workload file uses it: safe, bounded, and without the surprises of YAML 1.1.

Of YAML 1.1 only what YAML 1.2 keeps is read: `NO` and `on` are text, `1e3` is a number, `010` is
ten, keys are always text. Anchors are allowed as long as what they stand for stays small.
"""

from __future__ import annotations

import re
from typing import Any, cast

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from planner.errors import PlanError

MAX_BYTES = 1_000_000
MAX_DEPTH = 50
MAX_NODES = 50_000
MAX_DIGITS = 30

_RESOLVERS = (
    ("null", r"~|null|Null|NULL|", "~nN\0"),
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", rf"[-+]?[0-9]{{1,{MAX_DIGITS}}}", "-+0123456789"),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
        r"|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        "-+0123456789.",
    ),
)


class _Loader(yaml.SafeLoader):
    """Builds plain dicts, lists and scalars; counts what it builds."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - declared so by PyYAML

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0
        self._sizes: dict[int, int] = {}

    def compose_node(self, parent: Node | None, index: Any) -> Node:
        """Compose one node, refusing what is nested too deeply or grows too large."""
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "tag", None) not in (None, "!"):
            raise _refused(f"the tag {event.tag!r}; leave tags out", event.start_mark)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _refused(f"nested more than {MAX_DEPTH} deep; flatten it", event.start_mark)
        node = cast(Node, super().compose_node(parent, index))
        self._depth -= 1
        if isinstance(event, yaml.AliasEvent):
            if id(node) not in self._sizes:
                raise _refused("an anchor that contains itself; write it out", event.start_mark)
        else:
            self._sizes[id(node)] = 1 + sum(self._sizes[id(child)] for child in _children(node))
        # What was read so far stops a long file early; what a node stands for stops its anchors.
        if max(len(self._sizes), self._sizes[id(node)]) > MAX_NODES:
            raise _refused(f"more than {MAX_NODES} values; write fewer", event.start_mark)
        return node


def _refused(problem: str, mark: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=mark)


def _children(node: Node) -> list[Node]:
    if isinstance(node, MappingNode):
        return [child for pair in node.value for child in pair]
    return list(node.value) if isinstance(node, SequenceNode) else []


def _mapping(loader: _Loader, node: MappingNode) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, ScalarNode):
            raise _refused("a key must be text", key_node.start_mark)
        key = str(key_node.value)
        if key in made:
            raise _refused(f"the key {key!r} occurs twice; keep one", key_node.start_mark)
        made[key] = loader.construct_object(value_node, deep=True)
    return made


def _text(_loader: _Loader, node: ScalarNode) -> str:
    # JSON writes a character beyond the first 65,536 as two escapes, which YAML leaves apart.
    text = str(node.value).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise _refused("half of a character (a lone surrogate); remove it", node.start_mark)
    return text


def _number(_loader: _Loader, node: ScalarNode) -> float:
    # YAML writes .inf and .nan; Python reads them without the dot.
    return float(re.sub(r"\.(inf|nan)", r"\1", str(node.value).lower()))


class _Dumper(yaml.SafeDumper):
    """Writes what `_Loader` reads back the same."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - declared so by PyYAML

    def ignore_aliases(self, _data: Any) -> bool:
        """Write everything out: a file for people has no anchors."""
        return True


def _multiline(dumper: _Dumper, text: str) -> Any:
    style = "|" if "\n" in text else None
    if any(character in text for character in "\x85\u2028\u2029"):
        style = '"'  # other styles take these for the end of a line
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


for _tag, _pattern, _first in _RESOLVERS:
    for _class in (_Loader, _Dumper):
        _class.add_implicit_resolver(
            f"tag:yaml.org,2002:{_tag}",
            re.compile(f"(?:{_pattern})$"),
            [("" if character == "\0" else character) for character in _first],
        )
_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)
_Loader.add_constructor("tag:yaml.org,2002:str", _text)
_Loader.add_constructor("tag:yaml.org,2002:int", lambda _, node: int(node.value))
_Loader.add_constructor("tag:yaml.org,2002:float", _number)
_Dumper.add_representer(str, _multiline)


def read_yaml(content: str | bytes) -> object:
    """The one document of this text, as dicts, lists and scalars."""
    if len(content) > MAX_BYTES:
        raise PlanError(
            f"the file has {len(content)} bytes; at most {MAX_BYTES}. "
            "Data belongs in a separate folder, given with --data"
        )
    loader = None
    try:
        loader = _Loader(_decoded(content))
        return loader.get_single_data()
    except yaml.reader.ReaderError as error:
        raise PlanError(
            f"the character U+{error.character:04X} is not allowed in a workload file; remove it",
            f"character {error.position + 1}",
        ) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise PlanError(error.problem or "is not YAML", place) from error
    finally:
        if loader is not None:
            loader.dispose()


def _decoded(content: str | bytes) -> str:
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
    except UnicodeDecodeError as error:
        raise PlanError(
            f"is not UTF-8 text (byte {error.start}); is it a workload file? Save it as UTF-8"
        ) from error
    return text.removeprefix("\ufeff")


def write_yaml(content: dict[str, Any]) -> str:
    """A document that `read_yaml` reads back the same."""
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
