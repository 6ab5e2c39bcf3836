/* Sends segments over the loopback device with a congestion control, and says what became of them, as JSON.
 *
 *     transfer CONTROLLER SEGMENTS PROGRAM
 *
 * After half of the data PROGRAM runs beside the transfer. At the end the connection leaves the controller.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MSS 1000
#define PORT 5001
/* The receiver's window, bytes: as tcp.window of the scenarios, 20 segments. */
#define WINDOW (20 * MSS)

/* The byte at a place in the data. */
static unsigned char pattern(unsigned long at)
{
	return (unsigned char)((at * 2654435761ul) >> 13);
}

static void fail(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int option(int s, int name)
{
	int value = 0;
	socklen_t size = sizeof(value);

	return getsockopt(s, IPPROTO_TCP, name, &value, &size) ? -1 : value;
}

static void controller_of(int s, char name[16])
{
	socklen_t size = 15;

	memset(name, 0, 16);
	if (getsockopt(s, IPPROTO_TCP, TCP_CONGESTION, name, &size))
		fail("TCP_CONGESTION");
}

/* Reads everything; the exit code is 0 if it is what was sent. */
static int receive(int listener, unsigned long size)
{
	unsigned char data[65536];
	unsigned long at = 0;
	int wrong = 0, connection = accept(listener, NULL, NULL);
	ssize_t n;

	while ((n = read(connection, data, sizeof(data))) > 0)
		for (ssize_t i = 0; i < n; i++, at++)
			wrong |= data[i] != pattern(at);
	/* The sender waits for this. */
	if (write(connection, "", 1) != 1 || read(connection, data, 1) != 0)
		wrong = 1;
	return wrong || at != size;
}

int main(int count, char **words)
{
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int one = 1, mss = MSS + 12, window = WINDOW, thin = 0, status = 0, begun = 0;
	int listener = socket(AF_INET, SOCK_STREAM, 0), s = socket(AF_INET, SOCK_STREAM, 0);
	unsigned long size, at = 0;
	struct tcp_info info;
	socklen_t length = sizeof(info);
	char used[16], left[16], answer;
	double began, spent;
	pid_t receiver, program = 0;

	if (count != 4)
		return 2;
	size = strtoul(words[2], NULL, 10) * MSS;
	here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(listener, IPPROTO_TCP, TCP_WINDOW_CLAMP, &window, sizeof(window));
	if (bind(listener, (void *)&here, sizeof(here)) || listen(listener, 1))
		fail("listen");
	receiver = fork();
	if (receiver == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		return receive(listener, size);
	}
	setsockopt(s, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss));
	if (setsockopt(s, IPPROTO_TCP, TCP_CONGESTION, words[1], (socklen_t)strlen(words[1])))
		fail(words[1]);
	if (connect(s, (void *)&here, sizeof(here)))
		fail("connect");
	began = now();
	while (at < size) {
		unsigned char data[MSS];
		struct pollfd ready = { .fd = s, .events = POLLOUT };
		unsigned long some = size - at < MSS ? size - at : MSS;
		ssize_t n;

		for (unsigned long i = 0; i < some; i++)
			data[i] = pattern(at + i);
		n = send(s, data, some, MSG_DONTWAIT);
		if (n < 0 && errno != EAGAIN)
			fail("send");
		at += n > 0 ? (unsigned long)n : 0;
		if (n < 0)
			poll(&ready, 1, 20);
		if (option(s, TCP_THIN_LINEAR_TIMEOUTS) > thin)
			thin = 1;
		if (!begun && at >= size / 2) {
			begun = 1;
			program = fork();
			if (program == 0) {
				execl(words[3], words[3], (char *)NULL);
				_exit(127);
			}
		}
	}
	shutdown(s, SHUT_WR);
	if (read(s, &answer, 1) != 1)
		fail("read");
	spent = now() - began;
	controller_of(s, used);
	if (getsockopt(s, IPPROTO_TCP, TCP_INFO, &info, &length))
		fail("TCP_INFO");
	if (setsockopt(s, IPPROTO_TCP, TCP_CONGESTION, "reno", 4))
		fail("leaving");
	controller_of(s, left);
	one = option(s, TCP_THIN_LINEAR_TIMEOUTS);
	close(s);
	waitpid(receiver, &status, 0);
	if (program)
		waitpid(program, NULL, 0);
	printf("{\"controller\": \"%s\", \"left\": \"%s\", \"seconds\": %.3f, \"segments\": %u, \"resent\": %u, "
	       "\"rtt_us\": %u, \"acked_bytes\": %llu, \"complete\": %s, \"linear\": %d, \"linear_after\": %d}\n",
	       used, left, spent, info.tcpi_data_segs_out, info.tcpi_total_retrans, info.tcpi_rtt,
	       (unsigned long long)info.tcpi_bytes_acked, status == 0 ? "true" : "false", thin, one);
	return status != 0;
}
