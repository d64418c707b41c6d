"""Templates as JavaScript, made from Jinja's own parse tree: a browser draws a table with the very templates that
Python draws it with. `client/runtime.ts` is what they run on there.

Only a part of Jinja is translated, the one that `docs/pages.md` lists. Everything else is a `DataError` with file and
line, when the server starts. Nothing here knows a game, a table or a language.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes

from polikarp.engine.data import DataError

FILTERS = {
    "default", "int", "join", "length", "list", "map", "max", "min", "plain", "reject", "rejectattr", "replace", "safe",
    "select", "selectattr", "sort", "sum", "trim", "unique", "upper",
}  # fmt: skip
TESTS = {"boolean", "defined", "eq", "in", "mapping", "ne", "none", "sequence", "string"}
TESTING = {"select": 0, "reject": 0, "selectattr": 1, "rejectattr": 1}  # filters by tests: where the test is named
COMPARED = {"eq": "eq({},{})", "ne": "!eq({},{})", "in": "has({1},{0})", "notin": "!has({1},{0})"}
ORDERED = {"lt": "<", "lteq": "<=", "gt": ">", "gteq": ">="}
RUNTIME = "Safe,add,and,cat,eq,esc,filters,get,has,include,inside,items,load,loop,mod,or,slice,split,tests,yes"
ICON = re.compile(r"""icon\("([a-z0-9-]+)\"""")  # as build.mjs finds them, in comments too
EVERY = "*"  # at the end of a key: all that begin so


class Asked:
    """The words that templates ask for: keys of the pages by `t`, and of the game by group. A key may end with a star.
    `tables`: groups of the game's words that are looked through as they are."""

    def __init__(self) -> None:
        self.page: set[str] = set()
        self.game: dict[str, set[str]] = {}
        self.tables: set[str] = set()


class Compiled:
    """One template: its JavaScript, the words that it asks for, and the templates that it names."""

    def __init__(self, environment: jinja2.Environment, name: str) -> None:
        assert environment.loader is not None
        text, file, _fresh = environment.loader.get_source(environment, name)
        self.file = Path(file or name)
        self.icons = set(ICON.findall(text))
        self.asked = Asked()
        self.named: list[nodes.Expr] = []
        self.temporary = 0
        self.scopes: list[dict[str, str]] = []
        try:
            tree = environment.parse(text, name, file)
        except jinja2.TemplateSyntaxError as mistake:
            raise DataError(self.file, mistake.lineno, mistake.message or "is no template") from None
        self.script = self.template(tree.body)

    def fail(self, node: nodes.Node, what: str = "") -> NoReturn:
        said = what or f"{type(node).__name__} is no part of what browsers can draw, which docs/pages.md lists"
        raise DataError(self.file, node.lineno, said)

    # Names: a variable of ours where something here assigns it, and otherwise what the page gives.

    def fresh(self) -> str:
        self.temporary += 1
        return f"x{self.temporary}"

    def known(self, name: str) -> bool:
        return any(name in scope for scope in self.scopes)

    def find(self, name: str) -> str:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), f"c.{name}")

    def open_scope(self, names: Sequence[str]) -> str:
        """Variables for these names, which begin as what the names meant outside."""
        made = {name: f"{self.fresh()}_{name}" for name in names}
        opening = "".join(f"let {variable}={self.find(name)};" for name, variable in made.items())
        self.scopes.append(made)
        return opening

    def here(self) -> str:
        """The context for another template: ours, with all of our variables in it."""
        known = {name: variable for scope in self.scopes for name, variable in scope.items()}
        return f"inside(c,{{{','.join(f'{name}:{variable}' for name, variable in known.items())}}})"

    def assigned(self, body: Sequence[nodes.Node]) -> list[str]:
        """The names that a body assigns; loops, macros and `with` keep theirs to themselves."""
        return list(dict.fromkeys(name for node in body for name in self.assigned_by(node)))

    def assigned_by(self, node: nodes.Node) -> Iterator[str]:
        if isinstance(node, nodes.Assign | nodes.AssignBlock):
            yield from self.targets(node.target)
        elif isinstance(node, nodes.Macro):
            yield node.name
        elif isinstance(node, nodes.Import):
            yield node.target
        elif isinstance(node, nodes.FromImport):
            yield from (name if isinstance(name, str) else name[1] for name in node.names)
        elif isinstance(node, nodes.If):
            yield from self.assigned([*node.body, *node.elif_, *node.else_])

    def targets(self, target: nodes.Node) -> list[str]:
        if isinstance(target, nodes.Name):
            return [target.name]
        if isinstance(target, nodes.Tuple):
            return [name for item in target.items for name in self.targets(item)]
        return self.fail(target)

    def bind(self, target: nodes.Node, value: str) -> str:
        if isinstance(target, nodes.Tuple):
            whole = self.fresh()
            parts = (self.bind(item, f"{whole}[{at}]") for at, item in enumerate(target.items))
            return f"const {whole}=items({value});{''.join(parts)}"
        return f"{self.find(self.targets(target)[0])}={value};"

    # Statements.

    def template(self, body: Sequence[nodes.Node]) -> str:
        names = self.assigned(body)
        made = f'(c)=>{{let o="";{self.open_scope(names)}\n{self.block(body)}'
        exported = ",".join(f"{name}:{self.find(name)}" for name in names)
        return f"{made}return {{$:o,{exported}}};}}"

    def block(self, body: Sequence[nodes.Node]) -> str:
        return "".join(self.statement(node) for node in body)

    def statement(self, node: nodes.Node) -> str:
        translate: Callable[[Any], str] | None = getattr(self, f"on_{type(node).__name__.lower()}", None)
        return translate(node) if translate is not None and isinstance(node, nodes.Stmt) else self.fail(node)

    def on_output(self, node: nodes.Output) -> str:
        parts = [
            written(part.data) if isinstance(part, nodes.TemplateData) else f"esc({self.value(part)})"
            for part in node.nodes
        ]
        return "".join(f"o+={part};\n" for part in parts)

    def on_if(self, node: nodes.If) -> str:
        made = f"if({self.test(node.test)}){{{self.block(node.body)}}}"
        made += "".join(f"else if({self.test(one.test)}){{{self.block(one.body)}}}" for one in node.elif_)
        return made + (f"else{{{self.block(node.else_)}}}\n" if node.else_ else "\n")

    def on_for(self, node: nodes.For) -> str:
        if node.recursive:
            self.fail(node, "a loop can not be recursive here")
        through, at = self.fresh(), self.fresh()
        names = self.targets(node.target)
        made = f"{{const {through}=items({self.value(node.iter)}){self.kept(node, names)};"
        made += f"for(let {at}=0;{at}<{through}.length;{at}++){{"
        counted = ["loop"] if any(name.name == "loop" for one in node.body for name in one.find_all(nodes.Name)) else []
        made += self.open_scope(list(dict.fromkeys([*names, *counted, *self.assigned(node.body)])))
        made += self.bind(node.target, f"{through}[{at}]")
        made += f"{self.find('loop')}=loop({through}.length,{at});" if counted else ""
        made += f"\n{self.block(node.body)}}}"
        self.scopes.pop()
        return made + (f"if(!{through}.length){{{self.block(node.else_)}}}}}\n" if node.else_ else "}\n")

    def kept(self, node: nodes.For, names: list[str]) -> str:
        """What a loop's condition leaves, before the loop begins: so its numbers count only those."""
        if node.test is None:
            return ""
        one = self.fresh()
        opening = self.open_scope(names)
        made = f".filter(({one})=>{{{opening}{self.bind(node.target, one)}return {self.test(node.test)};}})"
        self.scopes.pop()
        return made

    def on_assign(self, node: nodes.Assign) -> str:
        return f"{self.bind(node.target, self.value(node.node))}\n"

    def on_assignblock(self, node: nodes.AssignBlock) -> str:
        if node.filter is not None:
            self.fail(node, "a block that is set can not have a filter here")
        return f'{self.bind(node.target, f"""(()=>{{let o="";{self.block(node.body)}return new Safe(o);}})()""")}\n'

    def on_with(self, node: nodes.With) -> str:
        values = [(self.fresh(), self.value(value)) for value in node.values]
        made = "{" + "".join(f"const {name}={value};" for name, value in values)
        names = [name for target in node.targets for name in self.targets(target)]
        made += self.open_scope(list(dict.fromkeys([*names, *self.assigned(node.body)])))
        made += "".join(self.bind(target, name) for target, (name, _) in zip(node.targets, values, strict=True))
        made += self.block(node.body) + "}\n"
        self.scopes.pop()
        return made

    def on_macro(self, node: nodes.Macro) -> str:
        names = [argument.name for argument in node.args]
        plain = len(names) - len(node.defaults)
        made = f'{self.find(node.name)}=(a,k={{}})=>{{let o="";'
        made += self.open_scope(list(dict.fromkeys([*names, *self.assigned(node.body)])))
        for at, name in enumerate(names):
            default = self.value(node.defaults[at - plain]) if at >= plain else "undefined"
            made += f'{self.find(name)}=a.length>{at}?a[{at}]:"{name}" in k?k.{name}:{default};'
        made += f"\n{self.block(node.body)}return new Safe(o);}};\n"
        self.scopes.pop()
        return made

    def on_include(self, node: nodes.Include) -> str:
        self.named.append(node.template)
        return f"o+=include({self.value(node.template)},{self.here()},{written(node.ignore_missing)});\n"

    def on_import(self, node: nodes.Import) -> str:
        return f"{self.find(node.target)}={self.loaded(node)};\n"

    def on_fromimport(self, node: nodes.FromImport) -> str:
        whole = self.fresh()
        pairs = [(name, name) if isinstance(name, str) else name for name in node.names]
        taken = "".join(f"{self.find(called)}=get({whole},{written(name)});" for name, called in pairs)
        return f"const {whole}={self.loaded(node)};{taken}\n"

    def loaded(self, node: nodes.Import | nodes.FromImport) -> str:
        if not node.with_context:
            self.fail(node, "write `with context` here: what is imported gets all that this template has")
        self.named.append(node.template)
        return f"load({self.value(node.template)},{self.here()})"

    # Expressions.

    def test(self, node: nodes.Node) -> str:
        """An expression that is only asked whether it holds."""
        if isinstance(node, nodes.Compare | nodes.Test | nodes.Not):
            return self.value(node)
        if isinstance(node, nodes.And | nodes.Or):
            return f"({self.test(node.left)}{'&&' if isinstance(node, nodes.And) else '||'}{self.test(node.right)})"
        return f"yes({self.value(node)})"

    def value(self, node: nodes.Node) -> str:
        translate: Callable[[Any], str] | None = getattr(self, f"of_{type(node).__name__.lower()}", None)
        return translate(node) if translate is not None else self.fail(node)

    def values(self, found: Sequence[nodes.Node]) -> str:
        return f"[{','.join(self.value(node) for node in found)}]"

    def of_const(self, node: nodes.Const) -> str:
        return self.fail(node, "fractions are made in Python") if isinstance(node.value, float) else written(node.value)

    def of_templatedata(self, node: nodes.TemplateData) -> str:
        return f"new Safe({written(node.data)})"

    def of_name(self, node: nodes.Name) -> str:
        return self.find(node.name)

    def of_getattr(self, node: nodes.Getattr) -> str:
        return f"get({self.value(node.node)},{written(node.attr)})"

    def of_getitem(self, node: nodes.Getitem) -> str:
        if not isinstance(node.arg, nodes.Slice):
            return f"get({self.value(node.node)},{self.value(node.arg)})"
        if node.arg.step is not None:
            self.fail(node, "a slice has no step here")
        ends = [written(None) if end is None else self.value(end) for end in (node.arg.start, node.arg.stop)]
        return f"slice({self.value(node.node)},{','.join(ends)})"

    def of_list(self, node: nodes.List) -> str:
        return self.values(node.items)

    def of_tuple(self, node: nodes.Tuple) -> str:
        return self.values(node.items)

    def of_dict(self, node: nodes.Dict) -> str:
        for pair in node.items:
            if not (isinstance(pair.key, nodes.Const) and isinstance(pair.key.value, str)):
                self.fail(pair, "the keys of a table of data are texts, and written out")
        pairs = (f"{self.value(pair.key)}:{self.value(pair.value)}" for pair in node.items)
        return f"{{{','.join(pairs)}}}"

    def arguments(self, node: nodes.Call | nodes.Filter | nodes.Test) -> str:
        if node.dyn_args is not None or node.dyn_kwargs is not None:
            self.fail(node, "arguments are written out one by one")
        named = ",".join(f"{one.key}:{self.value(one.value)}" for one in node.kwargs)
        return f"{self.values(node.args)},{{{named}}}"

    def of_call(self, node: nodes.Call) -> str:
        called = node.node
        if isinstance(called, nodes.Getattr) and called.attr == "split":
            return f"split({self.value(called.node)},{self.arguments(node)})"
        if isinstance(called, nodes.Name):
            self.note_words(called.name, node)
        elif not isinstance(called, nodes.Getattr):
            self.fail(node)
        return f"{self.value(called)}({self.arguments(node)})"

    def of_filter(self, node: nodes.Filter) -> str:
        if node.name not in FILTERS or node.node is None:
            self.fail(node, f"there is no filter {node.name} here")
        tests = node.args[TESTING[node.name] :][:1] if node.name in TESTING else []
        for test in tests:
            if not (isinstance(test, nodes.Const) and test.value in TESTS):
                self.fail(node, f"the test of {node.name} is none of those that there are here")
        if node.name == "map" and (node.args or [one.key for one in node.kwargs] != ["attribute"]):
            self.fail(node, "map takes an attribute here")
        return f"filters.{node.name}({self.value(node.node)},{self.arguments(node)})"

    def of_test(self, node: nodes.Test) -> str:
        if node.name not in TESTS:
            self.fail(node, f"there is no test {node.name} here")
        return f"tests.{node.name}({self.value(node.node)},{self.arguments(node)})"

    def of_not(self, node: nodes.Not) -> str:
        return f"!{self.test(node.node)}"

    def of_and(self, node: nodes.And) -> str:
        return f"and({self.value(node.left)},()=>{self.value(node.right)})"

    def of_or(self, node: nodes.Or) -> str:
        return f"or({self.value(node.left)},()=>{self.value(node.right)})"

    def of_condexpr(self, node: nodes.CondExpr) -> str:
        other = '""' if node.expr2 is None else self.value(node.expr2)
        return f"({self.test(node.test)}?{self.value(node.expr1)}:{other})"

    def of_concat(self, node: nodes.Concat) -> str:
        return f"cat({self.values(node.nodes)})"

    def of_add(self, node: nodes.Add) -> str:
        return f"add({self.value(node.left)},{self.value(node.right)})"

    def of_sub(self, node: nodes.Sub) -> str:
        return f"({self.value(node.left)}-{self.value(node.right)})"

    def of_mul(self, node: nodes.Mul) -> str:
        return f"({self.value(node.left)}*{self.value(node.right)})"

    def of_floordiv(self, node: nodes.FloorDiv) -> str:
        return f"Math.floor({self.value(node.left)}/{self.value(node.right)})"

    def of_mod(self, node: nodes.Mod) -> str:
        return f"mod({self.value(node.left)},{self.value(node.right)})"

    def of_neg(self, node: nodes.Neg) -> str:
        return f"(-{self.value(node.node)})"

    def of_compare(self, node: nodes.Compare) -> str:
        if len(node.ops) > 1:
            self.fail(node, "compare two things at a time")
        left, right = self.value(node.expr), self.value(node.ops[0].expr)
        kind = node.ops[0].op
        return COMPARED[kind].format(left, right) if kind in COMPARED else f"({left}{ORDERED[kind]}{right})"

    # Words.

    def note_words(self, name: str, node: nodes.Call) -> None:
        if self.known(name) or not node.args:
            return
        if name == "t":
            self.asked.page |= self.page_keys(node, node.args[0])
        elif name in ("w", "find", "texts"):
            group = node.args[0]
            if not (isinstance(group, nodes.Const) and isinstance(group.value, str)):
                self.fail(node, "the group of a text is written out")
            if name == "texts" or (name == "find" and len(node.args) > 2):
                self.asked.tables.add(group.value)
            else:
                keys = self.page_keys(node, node.args[1]) if group.value == "page" else keys_of(node.args[1])
                self.asked.game.setdefault(group.value, set()).update(keys)

    def page_keys(self, node: nodes.Call, key: nodes.Expr) -> set[str]:
        """Keys of the large group of texts, of which a browser gets only those that are asked for."""
        keys = keys_of(key)
        return keys if EVERY not in keys else self.fail(node, "the key of a text is written out, or begins so")


def keys_of(node: nodes.Expr) -> set[str]:
    """The keys that an expression can be, or how they begin."""
    if isinstance(node, nodes.Const):
        return {str(node.value)}
    if isinstance(node, nodes.Concat) and isinstance(node.nodes[0], nodes.Const):
        return {f"{node.nodes[0].value}{EVERY}"}
    if isinstance(node, nodes.CondExpr) and node.expr2 is not None:
        return keys_of(node.expr1) | keys_of(node.expr2)
    return {EVERY}


def written(value: object) -> str:
    """A constant as JavaScript writes it."""
    return json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def names_in(node: nodes.Expr, game: str) -> list[str] | None:
    """The templates that an expression can name on a page of a game; None if that can not be told."""
    if isinstance(node, nodes.Const):
        return [str(node.value)]
    if isinstance(node, nodes.List | nodes.Tuple):
        found = [names_in(item, game) for item in node.items]
        return None if None in found else [name for names in found for name in names or ()]
    if isinstance(node, nodes.Concat) and len(node.nodes) == 2:
        first, rest = node.nodes
        if isinstance(first, nodes.Name) and first.name == "game" and isinstance(rest, nodes.Const):
            return [f"{game}{rest.value}"]
    return None


class Compiler:
    """All templates of an environment, each translated once."""

    def __init__(self, environment: jinja2.Environment) -> None:
        self.environment = environment
        self.known = set(environment.list_templates())
        self.made: dict[str, Compiled] = {}

    def compiled(self, name: str) -> Compiled:
        if name not in self.made:
            self.made[name] = Compiled(self.environment, name)
        return self.made[name]

    def reached(self, roots: Sequence[str], game: str) -> dict[str, Compiled]:
        """Templates and all that they include on a page of a game, by name. Raises `DataError` with file and line."""
        found: dict[str, Compiled] = {}
        left = [name for name in roots if name in self.known]
        while left:
            name = left.pop()
            if name in found:
                continue
            one = found[name] = self.compiled(name)
            for node in one.named:
                names = names_in(node, game)
                if names is None:
                    one.fail(node, 'a template is named as "name.html" or game ~ "/name.html"')
                left += [each for each in names if each in self.known]
        return dict(sorted(found.items()))


def script_of(templates: dict[str, Compiled]) -> str:
    """A function that takes the runtime and gives the templates."""
    made = ",\n".join(f"{written(name)}:{one.script}" for name, one in templates.items())
    return f"({{{RUNTIME}}})=>({{\n{made}\n}})"
