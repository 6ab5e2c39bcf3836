use super::*;
use proptest::prelude::*;

fn dest(at: f64, x: f64, y: f64, speed: f64) -> TimedMove {
    let command = MoveCommand::SetDest { target: Position::new(x, y), speed: Speed(speed) };
    TimedMove { at: SimTime::from_secs_f64(at), command }
}

#[test]
fn triples_become_moves() {
    // Node 0 moves 50 m in 10 s, rests until 30 s, moves 10 m in 1 s. Node 1 rests. Node 2 jumps at 5 s.
    let text = "0.0 0 0 10.0 30 40 30.0 30 40 31.0 40 40\n0.0 7 8 900.0 7 8\n\n0 1 1 5 1 1 5 9 9\n";
    let movement = parse("t.movements", text, Dimensions::Two).unwrap();
    assert_eq!(movement.nodes.len(), 3);
    assert_eq!(movement.nodes[0].commands, [dest(0.0, 30.0, 40.0, 5.0), dest(30.0, 40.0, 40.0, 10.0)]);
    assert_eq!(movement.nodes[1], NodeMovement { start: Position::new(7.0, 8.0), commands: vec![] });
    let at = SimTime::from_secs_f64(5.0);
    assert_eq!(
        movement.nodes[2].commands,
        [
            TimedMove { at, command: MoveCommand::SetX(9.0) },
            TimedMove { at, command: MoveCommand::SetY(9.0) }
        ]
    );
}

#[test]
fn heights_are_forgotten() {
    let flat = parse("t", "0 1 2 10 3 4", Dimensions::Two).unwrap();
    let high = parse("t", "0 1 2 50 10 3 4 60", Dimensions::Three).unwrap();
    assert_eq!(flat, high);
}

#[test]
fn faults_have_a_line_and_a_problem() {
    let ladder = [
        ("0 1 2 10 3", Some(2), "5 numbers"),
        ("0 1 x", Some(2), "\"x\" is not a valid time"),
        ("0 1 NaN", Some(2), "\"NaN\" is not a valid time"),
        ("-1 1 2", Some(2), "negative"),
        ("0 1 2 10 3 4 5 6 7", Some(2), "time 5 comes after time 10"),
        ("0 1 2 1 100000 2", Some(2), "99999 m/s"),
    ];
    for (line, place, problem) in ladder {
        let error = parse("t", &format!("0 1 1\n{line}\n"), Dimensions::Two).expect_err(line);
        assert_eq!(error.line, place, "{error}");
        assert!(error.problem.contains(problem), "{error}");
    }
    assert!(parse("t", "\n", Dimensions::Two).unwrap_err().problem.contains("no node"));
}

proptest! {
    /// Any numbers give a movement or an error, never a panic.
    #[test]
    fn any_numbers_are_survived(numbers in prop::collection::vec(-10.0..1000.0f64, 0..20)) {
        let line: Vec<String> = numbers.iter().map(f64::to_string).collect();
        let _ = parse("t", &line.join(" "), Dimensions::Two);
    }

    /// So does any text, in either number of dimensions.
    #[test]
    fn any_text_is_survived(text in "([-0-9.eE]{1,6}|[ \t\n\r]|NaN|inf|\\PC){0,60}") {
        for dimensions in [Dimensions::Two, Dimensions::Three] {
            match parse("t", &text, dimensions) {
                Ok(_) => {}
                Err(error) => prop_assert!(!error.problem.is_empty() && !error.remedy.is_empty()),
            }
        }
    }
}
