"""Query text to Query and back; a mistake points at its place in the text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeVar

from planner.files.query.conditions import Name, WrittenCondition, conditions, resolved
from planner.files.query.syntax import Item, QueryText, SourceText, read
from planner.files.query.tokens import RESERVED, TokenCursor
from planner.time_limit import check
from planner.workload.query import Aggregate, Column, Filter, Predicate, Query, Source
from planner.workload.validation import MAX_STREAMS, listed, suggestion

T = TypeVar("T")
Catalogue = Mapping[str, Collection[str]]


def parse_query(
    text: str, name: str, relations: Collection[str] = (), catalogue: Catalogue | None = None
) -> Query:
    """The query of this text.

    `relations` are the names that take no window. A `catalogue` of the attributes of every stream
    and relation lets unknown names be found; a name whose attributes are empty accepts any.

    >>> query = parse_query("SELECT * FROM S1 [RANGE 9], S2 [ROWS 5] b WHERE b.x = S1.x", "Q")
    >>> str(query.predicates[0])
    'S1.x = b.x'
    """
    check()
    cursor = TokenCursor(text)
    if cursor.word.kind == "end":
        raise cursor.error("the query is empty; write SELECT * FROM STREAM [RANGE 60] ...")
    written = read(cursor)
    return _Resolver(cursor, written, relations, catalogue).query(name)


def parse_condition(text: str) -> Predicate | Filter:
    """One comparison by itself, as a key of the declared statistics is written."""
    cursor = TokenCursor(text)
    found = conditions(cursor)
    if len(found) != 1 or cursor.word.kind != "end":
        raise cursor.error("expected one comparison and nothing else")
    columns: dict[Name, Column] = {}
    for name in _names(found[0]):
        if name.alias is None:
            raise cursor.error("expected ALIAS.ATTRIBUTE", name.at)
        columns[name] = Column(name.alias.text, name.attribute.text)
    return resolved(found[0], columns, cursor)


def _names(condition: WrittenCondition) -> Iterator[Name]:
    for each in (condition, *condition.alternatives):
        for side in (each.left, each.right):
            yield from side.plus
            yield from side.minus


class _Resolver:
    """Looks up every name of a query as written."""

    def __init__(
        self,
        cursor: TokenCursor,
        written: QueryText,
        relations: Collection[str],
        catalogue: Catalogue | None,
    ) -> None:
        self._cursor = cursor
        self._written = written
        self._relations = relations
        self._catalogue = catalogue
        self._sources: dict[str, Source] = {}

    def query(self, name: str) -> Query:
        """The query, with everything in it found and checked."""
        for source in self._written.sources:
            self._add_source(source)
        found = [self._condition(condition) for condition in self._written.conditions]
        group_by = _once(self._column(column) for column in self._written.group_by)
        return Query(
            name=name,
            sources=tuple(self._sources.values()),
            # A condition that stands twice says nothing new.
            predicates=_once(c for c in found if isinstance(c, Predicate)),
            filters=_once(c for c in found if isinstance(c, Filter)),
            group_by=group_by,
            aggregates=self._aggregates(group_by),
            text=self._cursor.text,
        )

    def _add_source(self, source: SourceText) -> None:
        name, error = source.name.text, self._cursor.error
        if self._catalogue is not None and name not in self._catalogue:
            raise error(
                f"no stream or relation {name!r}{suggestion(name, self._catalogue)}", source.name
            )
        if source.alias in self._sources:
            raise error(
                f"{source.alias!r} occurs twice in FROM; give one another alias", source.name
            )
        if len(self._sources) == MAX_STREAMS:
            raise error(f"more than {MAX_STREAMS} sources; join fewer", source.name)
        window = source.window
        if name in self._relations:
            if window is not None:
                raise error(f"{name} is a relation and has no window; leave it out", source.name)
        elif window is None:
            window = self._written.window
            if window is None:
                raise error(
                    f"the stream {name} has no window; write {name} [RANGE 60]", source.name
                )
        self._sources[source.alias] = Source(source.alias, name, window, source.crossed)

    def _condition(self, condition: WrittenCondition) -> Predicate | Filter:
        columns = {name: self._column(name) for name in _names(condition)}
        return resolved(condition, columns, self._cursor)

    def _column(self, name: Name) -> Column:
        if name.alias is None:
            return self._unqualified(name)
        source = self._source(name)
        declared = self._declared(source)
        attribute = name.attribute.text
        if declared and attribute not in declared:
            raise self._cursor.error(
                f"{source.name} has no attribute {attribute!r}{suggestion(attribute, declared)}",
                name.attribute,
            )
        return Column(source.alias, attribute)

    def _source(self, name: Name) -> Source:
        alias = name.at.text
        if alias not in self._sources:
            raise self._cursor.error(
                f"{alias!r} is not a source of this query{suggestion(alias, self._sources)}",
                name.at,
            )
        return self._sources[alias]

    def _declared(self, source: Source) -> Collection[str]:
        return self._catalogue[source.name] if self._catalogue is not None else ()

    def _unqualified(self, name: Name) -> Column:
        attribute = name.attribute.text
        holders = [s for s in self._sources.values() if attribute in self._declared(s)]
        if not holders:
            holders = [s for s in self._sources.values() if not self._declared(s)]
        if len(holders) == 1:
            return Column(holders[0].alias, attribute)
        if holders:
            several = listed(f"{source.alias}.{attribute}" for source in holders)
            raise self._cursor.error(f"whose {attribute!r}? Write one of {several}", name.at)
        known = _once(a for s in self._sources.values() for a in self._declared(s))
        raise self._cursor.error(
            f"no source has {attribute!r}{suggestion(attribute, known)}", name.at
        )

    def _aggregates(self, group_by: tuple[Column, ...]) -> tuple[Aggregate, ...]:
        items = self._written.items
        aggregated = bool(group_by) or any(item.function for item in items)
        found: dict[str, Aggregate] = {}
        for item in items:
            aggregate = self._item(item, group_by, aggregated)
            if aggregate is None:
                continue
            if aggregate.name in found or aggregate.name in map(str, group_by):
                raise self._cursor.error(
                    f"two columns are named {aggregate.name!r}; name one with AS", item.at
                )
            found[aggregate.name] = aggregate
        return tuple(found.values())

    def _item(self, item: Item, group_by: tuple[Column, ...], aggregated: bool) -> Aggregate | None:
        column = self._column(item.column) if item.column else None
        alias = self._source(Name(None, item.star_of)).alias if item.star_of else None
        if item.function is not None:
            return Aggregate(item.function, column, alias, item.distinct, item.name)
        if aggregated and column is None:
            raise self._cursor.error(
                "* cannot be used with GROUP BY or an aggregate; list the grouped columns", item.at
            )
        if aggregated and column not in group_by:
            extrema = any(each.function in ("min", "max") for each in self._written.items)
            row = ", or join the answer with it: MIN and MAX keep no row" if extrema else ""
            raise self._cursor.error(f"{column} is not grouped; add it to GROUP BY{row}", item.at)
        return None


def _once(values: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(values))


def format_query(query: Query) -> str:
    """The query as text, which parses to an equal query."""
    lines = [f"SELECT {', '.join(_selected(query))}"]
    first, *others = query.sources
    between = (f"{' CROSS JOIN ' if s.crossed else ', '}{_source_text(s)}" for s in others)
    lines.append(f"FROM {_source_text(first)}{''.join(between)}")
    conditions = [format_condition(predicate) for predicate in query.predicates]
    conditions += [format_condition(condition) for condition in query.filters]
    if conditions:
        lines.append("WHERE " + " AND ".join(conditions))
    if query.group_by:
        lines.append("GROUP BY " + ", ".join(map(_column_text, query.group_by)))
    return "\n".join(lines)


def _selected(query: Query) -> list[str]:
    columns = [_column_text(column) for column in query.group_by]
    return columns + [_aggregate_text(a) for a in query.aggregates] or ["*"]


def _aggregate_text(aggregate: Aggregate) -> str:
    inside = "*"
    if aggregate.column is not None:
        inside = _column_text(aggregate.column)
    elif aggregate.alias is not None:
        inside = f"{quoted_name(aggregate.alias)}.*"
    distinct = "DISTINCT " if aggregate.distinct else ""
    named = (
        "" if aggregate.name == aggregate.default_name() else f" AS {quoted_name(aggregate.name)}"
    )
    return f"{aggregate.function.upper()}({distinct}{inside}){named}"


def _source_text(source: Source) -> str:
    window = f" [{source.window}]" if source.window is not None else ""
    alias = f" AS {quoted_name(source.alias)}" if source.alias != source.name else ""
    return f"{quoted_name(source.name)}{window}{alias}"


def format_condition(condition: Predicate | Filter) -> str:
    """The condition as text, which `parse_condition` reads back."""
    if isinstance(condition, Filter):
        return f"{_column_text(condition.column)} {condition.sign} {condition.operand}"
    left, right = _column_text(condition.left), _column_text(condition.right)
    return f"{left} {condition.comparison} {right}{condition.shift}"


def _column_text(column: Column) -> str:
    return f"{quoted_name(column.alias)}.{quoted_name(column.attribute)}"


def quoted_name(name: str) -> str:
    """A name as a query has it: in quotes where it would be read as something else."""
    if name.isascii() and name.isidentifier() and not RESERVED.fullmatch(name):
        return name
    return '"' + name.replace('"', '""') + '"'
