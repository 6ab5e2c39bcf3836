"""Import circles between Rust files are found (studies/circles.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.circles import Crate, circles

if TYPE_CHECKING:
    from pathlib import Path


def found(folder: Path, files: dict[str, str]) -> list[list[str]]:
    """Return the circles of a crate with these files."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return [[path.name for path in circle] for circle in circles(Crate(folder).graph())]


def test_a_circle_of_three_files_is_found_by_way_of_names_that_are_passed_on(tmp_path: Path) -> None:
    files = {
        "lib.rs": "mod a; mod b; mod c; pub use a::A;",
        "a.rs": "use crate::b::{self, B as Bee}; pub struct A(Bee);",
        "b.rs": "pub struct B(super::c::C);",
        "c.rs": "use crate::A; pub struct C(Option<A>);",
    }
    assert found(tmp_path, files) == [["a.rs", "b.rs", "c.rs"]]


def test_tests_comments_and_names_that_are_passed_on_make_no_circle(tmp_path: Path) -> None:
    files = {
        "lib.rs": "mod a; pub use a::A;",
        "a.rs": 'pub mod inner; pub use inner::I; pub struct A; // crate::a::inner::I\nconst T: &str = "I";',
        "a/inner.rs": "use super::A; pub struct I(A);\n#[cfg(test)]\nmod tests { use crate::a::I; }",
    }
    assert found(tmp_path, files) == []
