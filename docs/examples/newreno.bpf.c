/* NewReno's congestion control as a controller in the Linux kernel, to measure what it costs there.
 *
 * As root, with bpftool, clang and libbpf's headers, on a kernel with CONFIG_DEBUG_INFO_BTF:
 *
 *   bpftool btf dump file /sys/kernel/btf/vmlinux format c > vmlinux.h
 *   clang -O2 -g -target bpf -D__TARGET_ARCH_x86 -I. -c newreno.bpf.c -o newreno.bpf.o
 *   sysctl kernel.bpf_stats_enabled=1
 *   bpftool struct_ops register newreno.bpf.o        # then it is one of net.ipv4.tcp_available_congestion_control
 *   ...send over TCP with the controller newreno_bpf, and lose some of it...
 *   bpftool -j prog show > prog.json
 *   bpftool struct_ops unregister name newreno_bpf; sysctl kernel.bpf_stats_enabled=0
 *
 *   tworay tune --costs --kernel prog.json --power 2.5W --out costs.csv
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "Dual MIT/GPL";

/* RFC 5681, equation 4, in segments. */
SEC("struct_ops/newreno_ssthresh")
__u32 BPF_PROG(newreno_ssthresh, struct sock *sk)
{
	__u32 half = ((struct tcp_sock *)sk)->snd_cwnd >> 1;

	return half > 2 ? half : 2;
}

/* RFC 5681, section 3.1: slow start, then a segment a round trip. */
SEC("struct_ops/newreno_cong_avoid")
void BPF_PROG(newreno_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;

	if (tp->snd_cwnd < tp->snd_ssthresh) {
		tp->snd_cwnd += acked;
		return;
	}
	tp->snd_cwnd_cnt += acked;
	if (tp->snd_cwnd_cnt >= tp->snd_cwnd) {
		tp->snd_cwnd_cnt = 0;
		tp->snd_cwnd += 1;
	}
}

SEC("struct_ops/newreno_undo_cwnd")
__u32 BPF_PROG(newreno_undo_cwnd, struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;

	return tp->snd_cwnd > tp->prior_cwnd ? tp->snd_cwnd : tp->prior_cwnd;
}

SEC(".struct_ops")
struct tcp_congestion_ops newreno_bpf = {
	.ssthresh = (void *)newreno_ssthresh,
	.cong_avoid = (void *)newreno_cong_avoid,
	.undo_cwnd = (void *)newreno_undo_cwnd,
	.name = "newreno_bpf",
};
