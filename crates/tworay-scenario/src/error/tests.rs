use super::*;

fn at(text: &str, span: Range<usize>) -> String {
    let source = Arc::new(Source { name: "s.toml".into(), text: text.into(), has_lines: true });
    ScenarioError::new(Some(Place::new(&source, span)), "bad", "Do better.").to_string()
}

#[test]
fn the_caret_stands_under_the_place() {
    assert_eq!(
        at("one = 1\ntwo = 22\n", 14..16),
        "s.toml:2:7: bad\n  2 | two = 22\n    |       ^^\nDo better."
    );
}

#[test]
fn columns_count_characters_and_tabs_keep_their_width() {
    assert_eq!(
        at("\tname = \"näh\" # x", 15..16),
        "s.toml:1:15: bad\n  1 |  name = \"näh\" # x\n    |               ^\nDo better."
    );
}

#[test]
fn places_at_the_end_of_the_text_still_show_a_line() {
    assert_eq!(at("a = [\n", 6..6), "s.toml:1:6: bad\n  1 | a = [\n    |      ^\nDo better.");
    assert_eq!(at("", 0..0), "s.toml:1:1: bad\n  1 |\n    | ^\nDo better.");
    assert_eq!(at("a", 7..9), "s.toml:1:2: bad\n  1 | a\n    |  ^\nDo better.");
}

#[test]
fn a_place_over_several_lines_marks_the_first() {
    assert_eq!(at("a = [1,\n2]\n", 4..10), "s.toml:1:5: bad\n  1 | a = [1,\n    |     ^^^\nDo better.");
}

#[test]
fn long_lines_are_shown_in_part() {
    let text = format!("{}X{}", "a".repeat(500), "b".repeat(500));
    let message = at(&text, 500..501);
    assert!(message.lines().all(|line| line.len() < 140), "{message}");
    assert!(message.contains("aXb"));
}

#[test]
fn terminal_control_characters_are_not_passed_on() {
    assert!(!at("x = \"\u{1b}[31m\"", 0..1).contains('\u{1b}'));
}
