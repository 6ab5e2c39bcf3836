use super::*;
use proptest::prelude::*;

fn parse(text: &str) -> Result<Movement, ReadError> {
    Movement::parse("m.mov", text)
}

fn dest(at: f64, x: f64, y: f64, speed: f64) -> TimedMove {
    let command = MoveCommand::SetDest { target: Position::new(x, y), speed: Speed(speed) };
    TimedMove { at: SimTime::from_secs_f64(at), command }
}

/// The same movement as different tools write it.
#[test]
fn dialects() {
    let expected = Movement {
        first_number: 0,
        nodes: vec![
            NodeMovement { start: Position::new(1.5, 2.0), commands: vec![dest(3.0, 10.0, 20.0, 5.0)] },
            NodeMovement { start: Position::new(7.0, 8.0), commands: vec![] },
        ],
    };
    let dialects = [
        // setdest's own.
        "# nodes: 2, pause: 0.00\n$node_(0) set X_ 1.5\n$node_(0) set Y_ 2.0\n$node_(0) set Z_ 0.0\n\
         $node_(1) set X_ 7\n$node_(1) set Y_ 8\n$god_ set-dist 0 1 2\n\
         $ns_ at 3.0 \"$node_(0) setdest 10.0 20.0 5.0\"\n$ns_ at 4.5 \"$god_ set-dist 0 1 1\"\n#\n",
        // Positions last, as in the CMU scenes.
        "set god_ [God instance]\n$ns_ at 3.0 \"$node_(0) setdest 10 20 5\"\n\
         $node_(1) set Y_ 8\n$node_(1) set X_ 7\n$node_(0) set Y_ 2\n$node_(0) set X_ 1.5",
        // Other names, tabs, carriage returns, doubled quotes, spaces everywhere.
        "$node(0) set X_ 1.5\r\n$node(0)\tset Y_   2\r\n  $node(1) set X_ 7\r\n$node(1) set Y_ 8\r\n\
         \r\n$ns at  3.0 \"\"$node(0)  setdest 1e1 2.0E1 5\"\" \r\n",
        // Tcl's comments and semicolons.
        "$node_(0) set X_ 1.5 ;# west\n$node_(0) set Y_ 2; $node_(0) set Z_ 0\n$node_(1) set X_ 7;\n\
         $node_(1) set Y_ 8;# \"north\n$ns_ at 3.0 \"$node_(0) setdest 10.0 20.0 5.0;\" ;# walks\n",
        // Exporters that add colours and an end.
        "$node_(0) set X_ 1.5\n$node_(0) set Y_ 2\n$node_(1) set X_ 7\n$node_(1) set Y_ 8\n\
         $node_(0) random-motion 0\n$ns_ at 0.0 \"$node_(0) start\"\n\
         $ns_ at 3 {$node_(0) setdest 10 20 5}\n$ns_ at 900.0 \"stop\"\nputs \"done\"\n",
    ];
    for text in dialects {
        assert_eq!(parse(text).unwrap(), expected, "{text}");
    }
}

const TWO: &str = "$node_(0) set X_ 1\n$node_(0) set Y_ 2\n$node_(1) set X_ 3\n$node_(1) set Y_ 4\n";

#[test]
fn commands_are_sorted_by_time_and_stay_in_file_order_at_equal_times() {
    let text = format!(
        "{TWO}$ns_ at 9 \"$node_(0) setdest 5 5 1\"\n$ns_ at 2 \"$node_(0) set X_ 30\"\n\
         $ns_ at 2 \"$node_(0) set Y_ 40\"\n$ns_ at 1 \"$node_(0) setdest 9 9 1\"\n"
    );
    let at = |seconds, command| TimedMove { at: SimTime::from_secs_f64(seconds), command };
    assert_eq!(
        parse(&text).unwrap().nodes[0].commands,
        [
            dest(1.0, 9.0, 9.0, 1.0),
            at(2.0, MoveCommand::SetX(30.0)),
            at(2.0, MoveCommand::SetY(40.0)),
            dest(9.0, 5.0, 5.0, 1.0),
        ]
    );
}

/// Some CMU scenes number their nodes from one.
#[test]
fn files_that_count_from_one() {
    let text = "$node_(2) set X_ 3\n$node_(2) set Y_ 4\n$node_(1) set X_ 1\n$node_(1) set Y_ 2\n";
    let movement = parse(text).unwrap();
    assert_eq!((movement.first_number, movement.nodes.len()), (1, 2));
    assert_eq!(movement.nodes[0].start, Position::new(1.0, 2.0));
}

/// A bad line after four good ones: the message names the place, the problem and the remedy.
#[test]
fn bad_lines() {
    let ladder = [
        ("$node_(0) set X_ NaN", "\"NaN\" is not a valid coordinate"),
        ("$node_(0) set X_ 12,5", "\"12,5\" is not a valid coordinate"),
        ("$node_(0) set X_ -3", "the coordinate -3 is negative"),
        ("$node_(0) set X_ 1e30", "the coordinate 1e30 is out of range"),
        ("$node_(0) set Y_ inf", "\"inf\" is not a valid coordinate"),
        ("$node_(0) set Q_ 3", "not a movement command"),
        ("$node_(0) set X_", "not a movement command"),
        ("$node_($i) set X_ 3", "\"$i\" is not a node number"),
        ("$node_(-1) set X_ 3", "\"-1\" is not a node number"),
        ("$node_(70000) set X_ 3", "node number 70000 is out of range"),
        ("$ns_ at 1 \"$node_(0) setdest 1 2 -5\"", "the speed -5 is negative"),
        ("$ns_ at 1 \"$node_(0) setdest 1 2 3e8\"", "the speed 3e8 is out of range"),
        ("$ns_ at 1 \"$node_(0) setdest 1 2\"", "not a movement command"),
        ("$ns_ at 1 \"$node_(0) setdest 1 2 3 4\"", "not a movement command"),
        ("$ns_ at -1 \"$node_(0) setdest 1 2 3\"", "the time -1 is negative"),
        ("$ns_ at soon \"$node_(0) setdest 1 2 3\"", "\"soon\" is not a valid time"),
        ("$ns_ at", "the time is missing"),
        ("$ns_ at 1 \"$node_(0) setdest 1 2 3.", "ends inside quotes"),
        ("$ns_ at 1 \"$node_(0) setd", "ends inside quotes"),
        ("$node_(0", "ends inside quotes or brackets"),
        ("$ns_ at 1 \"$car_(0) setdest 1 2 3\"", "not a line of a movement file"),
        ("hello world", "not a line of a movement file"),
        ("$ns_ at 1 \"$node_(2) setdest 1 2 3\"", "node 2 moves but has no initial position"),
        ("$ns_ at 1 \"$node_(40) setdest 1 2 3\"", "node 40 moves but has no initial position"),
        ("$node_(2) set Y_ 5", "node 2 has no initial X_"),
        ("$node_(2) set X_ 5", "node 2 has no initial Y_"),
    ];
    for (line, problem) in ladder {
        let error = parse(&format!("{TWO}{line}\n")).expect_err(line);
        assert_eq!((error.file.as_str(), error.line), ("m.mov", Some(5)), "{line}: {error}");
        assert!(error.problem.contains(problem), "{line}: {error}");
        assert!(!error.remedy.is_empty());
    }
}

#[test]
fn faults_of_the_whole_file() {
    let node = |i: u32| format!("$node_({i}) set X_ 1\n$node_({i}) set Y_ 1\n");
    let ladder = [
        (String::new(), "moves no node"),
        ("# nothing\n".into(), "moves no node"),
        ("$god_ set-dist 0 1 2\n".into(), "moves no node"),
        (node(0) + &node(2), "node 1 is missing, but there is a node 2"),
        (node(5) + &node(6), "lowest node number is 5"),
    ];
    for (text, problem) in ladder {
        let error = parse(&text).expect_err(problem);
        assert_eq!(error.line, None);
        assert!(error.problem.contains(problem), "{error}");
    }
}

/// The complete message as shown to the user.
#[test]
fn a_message_reads_well() {
    let error = parse(&format!("{TWO}$ns_ at 1 \"$node_(0) setdest 1 2 -5\"\n")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "m.mov:5: the speed -5 is negative: `$ns_ at 1 \"$node_(0) setdest 1 2 -5\"`; \
         a speed is a number from 0 m/s to 10000 m/s"
    );
}

fn any_command() -> impl Strategy<Value = MoveCommand> {
    let place = 0.0..1e5f64;
    prop_oneof![
        (place.clone(), place.clone(), 0.0..100.0f64)
            .prop_map(|(x, y, v)| MoveCommand::SetDest { target: Position::new(x, y), speed: Speed(v) }),
        place.clone().prop_map(MoveCommand::SetX),
        place.prop_map(MoveCommand::SetY),
    ]
}

prop_compose! {
    fn any_node()(
        x in 0.0..1e5f64,
        y in 0.0..1e5f64,
        mut moves in prop::collection::vec((0u64..1_000_000_000_000, any_command()), 0..8),
    ) -> NodeMovement {
        moves.sort_by_key(|&(at, _)| at);
        let commands =
            moves.into_iter().map(|(at, command)| TimedMove { at: SimTime::from_nanos(at), command }).collect();
        NodeMovement { start: Position::new(x, y), commands }
    }
}

proptest! {
    #[test]
    fn writing_and_reading_gives_the_same_movement(
        nodes in prop::collection::vec(any_node(), 1..6),
        first_number in 0u16..2,
    ) {
        let movement = Movement { nodes, first_number };
        prop_assert_eq!(parse(&movement.to_string()).unwrap(), movement);
    }

    /// Any text gives a movement or an error, never a panic.
    #[test]
    fn any_text_is_survived(text in "(\\$node_?\\(|\\$ns_ at |setdest|set X_|[-0-9.e \"\\n(){}$]|\\PC){0,60}") {
        let _ = parse(&text);
    }
}
