/* Runs a program and writes what it cost: measure FILE PROGRAM ARGUMENT...
 *
 * A process inherits the peak memory of whoever starts it, up to the moment when its own program is
 * loaded. A large starter, such as a Python interpreter, would hide that of a small program; this one
 * is small. FILE gets one line: CPU seconds (user + system) and peak resident kilobytes. */

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: measure FILE PROGRAM ARGUMENT...\n");
        return 2;
    }
    pid_t child = fork();
    if (child < 0) {
        perror("measure: fork");
        return 1;
    }
    if (child == 0) {
        /* The program ends with its starter. */
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    int status;
    struct rusage used;
    if (wait4(child, &status, 0, &used) < 0) {
        perror("measure: wait4");
        return 1;
    }
    FILE *report = fopen(argv[1], "w");
    if (report == NULL) {
        perror(argv[1]);
        return 1;
    }
    fprintf(report, "%.6f %ld\n", seconds(used.ru_utime) + seconds(used.ru_stime), used.ru_maxrss);
    fclose(report);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
