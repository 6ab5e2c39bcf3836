use super::*;
use crate::{TcpOptions, TcpSegment};
use tworay_base::{FlowId, Seq32};

fn at(millis: u64) -> SimTime {
    SimTime::from_nanos(millis * 1_000_000)
}

#[test]
fn nodes_stand_and_then_move() {
    let mut anim = NetAnim::new(&[Position::new(0.0, 5.0), Position::new(200.0, 5.0)], 10.0);
    anim.place(at(1250), NodeId(1), Position::new(201.0 / 3.0, -1.0));
    anim.name(at(0), NodeId(0), "0 \"<a&b>\"");
    anim.colour(at(0), NodeId(0), [0, 128, 255]);
    assert_eq!(
        anim.finish(),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <anim ver=\"netanim-3.109\" filetype=\"animation\">\n\
         <node id=\"0\" sysId=\"0\" locX=\"0.000\" locY=\"5.000\" />\n\
         <node id=\"1\" sysId=\"0\" locX=\"200.000\" locY=\"5.000\" />\n\
         <nu p=\"d\" t=\"0\" id=\"0\" descr=\"0\" />\n\
         <nu p=\"s\" t=\"0\" id=\"0\" w=\"10\" h=\"10\" />\n\
         <nu p=\"d\" t=\"0\" id=\"1\" descr=\"1\" />\n\
         <nu p=\"s\" t=\"0\" id=\"1\" w=\"10\" h=\"10\" />\n\
         <nu p=\"p\" t=\"1.25\" id=\"1\" x=\"67.000\" y=\"-1.000\" />\n\
         <nu p=\"d\" t=\"0\" id=\"0\" descr=\"0 &quot;&lt;a&amp;b&gt;&quot;\" />\n\
         <nu p=\"c\" t=\"0\" id=\"0\" r=\"0\" g=\"128\" b=\"255\" />\n\
         </anim>\n"
    );
}

/// NetAnim recognises TCP, IPv4 and ARP headers by ns-3's words for them.
#[test]
fn frames_tell_what_they_carry_in_the_words_of_ns3() {
    let packet = |body| Packet {
        uid: 1,
        src: NodeId(0),
        dst: NodeId(4),
        ttl: 32,
        hops: 0,
        ip_bytes: 1500,
        flow: FlowId::NONE,
        dsr: None,
        body,
    };
    let tcp = TcpSegment {
        src_port: 1000,
        dst_port: 2000,
        seq: Seq32(0),
        ack: Seq32(9),
        flags: TcpFlags::ACK,
        window: 0,
        payload: 1460,
        options: TcpOptions::default(),
    };
    let arp = ArpBody { request: true, sender: NodeId(258), target: NodeId(4) };
    let mut anim = NetAnim::new(&[], 10.0);
    anim.take();
    let flight =
        Flight { from: NodeId(1), to: NodeId(2), sent: (at(1000), at(1006)), received: (at(1001), at(1007)) };
    anim.flight(&flight, &packet(Body::Tcp(tcp)));
    anim.flight(&flight, &packet(Body::Arp(arp)));
    let text = anim.take();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "<wp fId=\"1\" fbTx=\"1\" lbTx=\"1.006\" meta-info=\"ns3::Ipv4Header (tos 0x0 DSCP Default ECN \
             Not-ECT ttl 32 id 0 protocol 6 offset (bytes) 0 flags [none] length: 1500 node-0 &gt; node-4) \
             ns3::TcpHeader (1000 &gt; 2000 [ACK] Seq=0 Ack=9 Win=0)\" tId=\"2\" fbRx=\"1.001\" lbRx=\"1.007\" />",
            "<wp fId=\"1\" fbTx=\"1\" lbTx=\"1.006\" meta-info=\"ns3::ArpHeader (request source mac: \
             00-06-00:00:00:00:01:02 source ipv4: node-258 dest ipv4: node-4)\" tId=\"2\" fbRx=\"1.001\" \
             lbRx=\"1.007\" />",
        ]
    );
    assert_eq!(anim.finish(), "</anim>\n");
}
