# SPDX-License-Identifier: Apache-2.0
"""Types in words, as documentation has them (`int, list of ints or Tensor`), as annotations."""

import re

from lint.documentation import sections

# Words of one type. A name with dots is imported from its module.
TYPES = {
    "Tensor": "paddle.Tensor",
    "number": "paddle._typing.Numeric",
    "dtype": "paddle._typing.DTypeLike",
    "place": "paddle._typing.PlaceLike",
    "ParamAttr": "paddle._typing.ParamAttrLike",
    "Dataset": "paddle.io.dataloader.dataset.Dataset | collections.abc.Sequence[Any]",
    "regularizer": "paddle.regularizer.WeightDecayRegularizer",
    "array": "numpy.typing.NDArray[Any]",
    "numpy.ndarray": "numpy.typing.NDArray[Any]",
    "callable": "collections.abc.Callable[..., Any]",
    "BytesIO": "io.BytesIO",
    "PathLike": "os.PathLike[str]",
    "datetime.timedelta": "datetime.timedelta",
    "iterable": "collections.abc.Iterable[Any]",
    "iterator": "collections.abc.Iterator[Any]",
    "generator": "collections.abc.Iterator[Any]",
    "context manager": "contextlib.AbstractContextManager[Any]",
    "type": "type[Any]",
    "class": "type[Any]",
    "module": "types.ModuleType",
    "object": "Any",
    "PyCapsule": "Any",
    "None": "None",
    **{name: name for name in ("str", "int", "bool", "float", "complex", "bytes", "slice")},
}
GIVEN = {"list": "collections.abc.Sequence", "tuple": "collections.abc.Sequence"}  # arguments
RETURNED = {"list": "list", "tuple": "tuple"}
WHOLE = {"int, list of ints or Tensor": "paddle._typing.ShapeLike"}
# What names of `paddle._typing` stand for beside what the words say.
COVERS = {
    "paddle._typing.DTypeLike": ("str", "type[Any]"),
    "paddle._typing.PlaceLike": ("str",),
    "paddle._typing.ParamAttrLike": ("str", "bool"),
}
SEVERAL = ", or several arguments"
ENTRY = re.compile(r"^    \*{0,2}(\w+) \((.*?)\):\s(.*?)(?=^    \S|\Z)", re.M | re.S)
DEFAULT = re.compile(r",? ?(default .*|optional)$", re.S)
ALSO = re.compile(r"Also `(\w+)`")


class Unknown(ValueError):
    """Words that are no type."""


class Words:
    """Reads words; `classes`: {name: dotted name} of what else is a type."""

    def __init__(self, classes):
        self.classes = classes
        self.unknown = set()

    def read(self, text, returned=False):
        """The annotation of words, with dotted names for what is imported; Any for words that are
        no type, which are kept in `unknown`."""
        try:
            return self.union(text, returned)
        except Unknown:
            self.unknown.add(text)
            return "Any"

    def union(self, text, returned):
        if text in WHOLE:
            return WHOLE[text]
        parts, outer = [], None
        for part in re.split(r", (?:or )?| or ", text):
            match = re.match(r"(list|tuple|dict) of (.*)", part)
            if match:
                outer = match[1]
            elif part.startswith("of ") and outer:
                part = f"{outer} {part}"
            parts.append(self.one(part, returned))
        covered = {name for part in parts for name in COVERS.get(part, ())}
        return " | ".join(part for part in dict.fromkeys(parts) if part not in covered)

    def one(self, word, returned):
        match = re.fullmatch(r"(list|tuple|dict) of (?:(\w+) to )?(.*?)", word)
        if match:
            inner = self.one(singular(match[3]), returned)
            if match[1] == "dict":
                key = self.one(singular(match[2]), returned) if match[2] else "str"
                return f"dict[{key}, {inner}]"
            if match[1] == "tuple" and returned:
                return f"tuple[{inner}, ...]"
            return f"{(RETURNED if returned else GIVEN)[match[1]]}[{inner}]"
        if word in ("list", "tuple", "dict", "set"):
            inner = {"tuple": "Any, ...", "dict": "Any, Any"}.get(word, "Any")
            outer = RETURNED if returned else GIVEN
            return (
                f"{outer.get(word, word)}[{'Any' if outer is GIVEN and word in GIVEN else inner}]"
            )
        known = TYPES.get(word) or self.classes.get(word)
        if known is None:
            raise Unknown(word)
        return known


def singular(word):
    for plural, one in {
        "lists": "list",
        "dicts": "dict",
        "tuples": "tuple",
        "classes": "class",
        "objects": "object",
    }.items():
        if word == plural or word.startswith(plural + " "):
            return one + word[len(plural) :]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def arguments(text):
    """{argument: (type in words, its second name or None)} of a documentation."""
    found = {}
    for name, kind, meaning in ENTRY.findall(sections(text or "").get("Args", "")):
        also = ALSO.search(" ".join(meaning.split()))
        found[name] = (DEFAULT.sub("", " ".join(kind.split())), also and also[1])
    return found


def result(text):
    """The type of what comes back in words, or None."""
    lines = " ".join(sections(text or "").get("Returns", "").split())
    head, colon, _ = lines.partition(":")
    return head.rstrip(".") if colon or len(head.split()) <= 2 else None
