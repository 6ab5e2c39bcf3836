/* Visits the connections of one network namespace when a controller is unloaded.
 *
 * All get back the options that the controller has changed. Connections whose program has closed them go on
 * with Reno: nobody could choose for them, and retransmissions to a peer that is gone would keep the controller
 * in the kernel for minutes. Prints a letter for each connection: `m` moved, `u` still used by a program.
 */
#include "kernel.h"
#include "options.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* Name of the controller in the kernel. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64[2]);
} tworay_whose SEC(".maps");

HOOK bool uses(const struct tcp_sock *tp)
{
	const struct tcp_congestion_ops___name *ops = (const void *)tp->inet_conn.icsk_ca_ops;
	u32 zero = 0;
	u64 *name = bpf_map_lookup_elem(&tworay_whose, &zero);

	return ops && name && name[0] == *(const u64 *)&ops->name[0] && name[1] == *(const u64 *)&ops->name[8];
}

SEC("iter/tcp")
int tworay_leave(struct bpf_iter__tcp *context)
{
	struct sock_common *common = context->sk_common;
	char reno[] = "reno", used = 'u', moved = 'm';
	struct tcp_sock *tp;
	struct kept *k;

	if (!common)
		return 0;
	/* None for listening sockets of a request and for connections in TIME-WAIT, which have no controller. */
	tp = bpf_skc_to_tcp_sock(common);
	if (!tp || !uses(tp))
		return 0;
	k = bpf_sk_storage_get(&tworay_kept, tp, 0, 0);
	if (k && k->changed)
		restore_options(tp, k);
	if (!((struct sock *)tp)->sk_socket &&
	    !bpf_setsockopt(tp, SOL_TCP, TCP_CONGESTION, reno, sizeof(reno)))
		bpf_seq_write(context->meta->seq, &moved, 1);
	else
		bpf_seq_write(context->meta->seq, &used, 1);
	return 0;
}
