/* The fields of kernel types that the controllers use, by name. CO-RE resolves their offsets in the running
 * kernel, so no machine's vmlinux.h is needed.
 */
#ifndef TWORAY_KERNEL_H
#define TWORAY_KERNEL_H

#include "core/types.h"

#define HOOK static inline __attribute__((always_inline))

typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef u16 __be16;
typedef u32 __be32;
typedef u32 __wsum;
typedef __s64 s64;
typedef __s32 s32;
typedef _Bool bool;

/* Constants of the kernel's interface for programs (uapi/linux/bpf.h). */
enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_SK_STORAGE = 24,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_F_NO_PREALLOC = 1,
	BPF_SK_STORAGE_GET_F_CREATE = 1,
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
};

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_tracing.h>

/* From net/tcp.h. */
enum tcp_ca_state { TCP_CA_Open, TCP_CA_Disorder, TCP_CA_CWR, TCP_CA_Recovery, TCP_CA_Loss };
enum tcp_ca_event { CA_EVENT_TX_START, CA_EVENT_CWND_RESTART, CA_EVENT_COMPLETE_CWR, CA_EVENT_LOSS };
enum { CA_ACK_SLOWPATH = 1, CA_ACK_WIN_UPDATE = 2 };
enum { TCP_CONG_NON_RESTRICTED = 1 };
enum { AF_INET = 2, AF_INET6 = 10, SOL_TCP = 6 };
enum { TCP_FIN_WAIT1 = 4, TCP_LAST_ACK = 9, TCP_CLOSING = 11 };
enum { TCP_CONGESTION = 13, TCP_THIN_LINEAR_TIMEOUTS = 16, TCP_USER_TIMEOUT = 18, TCP_RTO_MAX_MS = 44 };
/* ETH_P_IP in network byte order, as in __sk_buff. */
#define ETHERTYPE_IPV4 bpf_htons(0x0800)

/* Context of a cgroup program (uapi/linux/bpf.h), with the fields that are read. */
struct bpf_sock;
struct __sk_buff {
	u32 len;
	u32 pkt_type;
	u32 mark;
	u32 queue_mapping;
	u32 protocol;
	u32 before_sk[37];
	struct bpf_sock *sk;
};

/* Context of a program that sees setsockopt(); `optlen` 0 leaves the option as the program gave it. */
struct bpf_sockopt {
	struct bpf_sock *sk;
	void *optval;
	void *optval_end;
	s32 level;
	s32 optname;
	s32 optlen;
	s32 retval;
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct in6_addr {
	u8 bytes[16];
};

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct sock_common {
	u16 skc_family;
	volatile unsigned char skc_state;
	u16 skc_num;
	__be16 skc_dport;
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};

struct socket;

struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket;
};

struct tcp_congestion_ops;

/* The same type; this program only reads the name. */
struct tcp_congestion_ops___name {
	char name[16];
};

struct inet_connection_sock {
	const struct tcp_congestion_ops *icsk_ca_ops;
	u8 icsk_ca_state : 5;
	u64 icsk_ca_priv[13];
};

struct tcp_options_received {
	u16 sack_ok : 3;
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	struct tcp_options_received rx_opt;
	u32 snd_una;
	u32 snd_nxt;
	u32 snd_wnd;
	u32 snd_cwnd;
	u32 snd_cwnd_cnt;
	u32 snd_cwnd_clamp;
	u32 snd_ssthresh;
	u32 prior_cwnd;
	u32 packets_out;
	u32 max_packets_out;
	u32 mss_cache;
	u32 srtt_us;
	u32 rttvar_us;
	u8 is_cwnd_limited : 1;
};

struct sk_buff {
	char cb[48];
};

struct tcp_skb_cb {
	u32 seq;
	u32 end_seq;
	u32 ack_seq;
};

struct ack_sample {
	s32 rtt_us;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__tcp {
	struct bpf_iter_meta *meta;
	struct sock_common *sk_common;
};

#pragma clang attribute pop

/* A controller's table of callbacks: those supported by all kernels since 6.1. */
struct tcp_congestion_ops {
	u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, u32 ack, u32 acked);
	void (*set_state)(struct sock *sk, u8 new_state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event ev);
	void (*in_ack_event)(struct sock *sk, u32 flags);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
	u32 flags;
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
};

#endif
