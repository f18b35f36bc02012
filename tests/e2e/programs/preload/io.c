/*
 * Input and output between marks: io PATH, what it found on stdout; io PATH CALLS: ns of a
 * one-byte pread. The marks' prototypes are our own, weak.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WEAK __attribute__((weak))
WEAK extern void cali_begin_region(const char *);
WEAK extern void cali_end_region(const char *);

static const char *path;

static void begin(const char *name) {
    if (cali_begin_region) cali_begin_region(name);
}
static void end(const char *name) {
    if (cali_end_region) cali_end_region(name);
}

static void *thread(void *arg) {
    char text[4];
    int fd = open(path, O_RDONLY);
    (void)arg;
    if (read(fd, text, 3) != 3) puts("thread: short");
    close(fd);
    return NULL;
}

static double ns_of_pread(long calls) {
    struct timespec a, b, rest = {0, 6000000};
    char c;
    double ns = 0;
    long done = 0;
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (write(fd, "x", 1) != 1) exit(1);
    begin("main");
    for (int i = 0; i < 40; i++) nanosleep(&rest, NULL);
    while (done < calls) {
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (int i = 0; i < 1000; i++) {
            if (pread(fd, &c, 1, 0) != 1) exit(1);
        }
        clock_gettime(CLOCK_MONOTONIC, &b);
        ns += (double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec);
        done += 1000;
        nanosleep(&rest, NULL);
    }
    end("main");
    close(fd);
    return ns / (double)done;
}

int main(int argc, char **argv) {
    char text[16] = {0}, more[4] = {0};
    /* A length that the compiler does not know, so that fortified programs check it. */
    volatile size_t length = 8;
    struct iovec v[2] = {{(char *)"abc", 3}, {(char *)"defgh", 5}}, into[2];
    struct stat facts;
    pthread_t other;
    int fd, status;
    path = argv[1];
    if (argc > 2) return printf("%.1f\n", ns_of_pread(atol(argv[2]))) < 0;
    umask(0);
    fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0640); /* before any mark: not heard */
    begin("main");
    if (writev(fd, v, 2) != 8) puts("writev: short");
    if (pwrite(fd, "X", 1, 1) != 1) puts("pwrite: short");
    begin("inner");
    if (lseek(fd, 0, SEEK_SET) != 0) puts("lseek: elsewhere");
    if (read(fd, text, length) != 8) puts("read: short");
    end("inner");
    if (read(fd, text + 8, length - 1) != 0) puts("read: more than there is");
    into[0].iov_base = more;
    into[0].iov_len = 2;
    into[1].iov_base = more + 2;
    into[1].iov_len = 1;
    if (preadv(fd, into, 2, 4) != 3) puts("preadv: short");
    fsync(fd);
    errno = 0;
    status = (int)read(-1, text, 1);
    printf("%s %s %d %d\n", text, more, status, errno == EBADF);
    status = open("/no/such/file", O_RDONLY);
    printf("%d %d\n", status, errno == ENOENT);
    fstat(fd, &facts);
    printf("%o\n", (unsigned)facts.st_mode & 0777);
    close(fd);
    pthread_create(&other, NULL, thread, NULL);
    pthread_join(other, NULL);
    fflush(stdout);
    if (fork() == 0) {
        /* Reads without a mark of its own: no process of the run. */
        fd = open(path, O_RDONLY);
        _exit(read(fd, text, 4) == 4 ? 7 : 8);
    }
    wait(&status);
    printf("%d\n", WEXITSTATUS(status));
    end("main");
    return 0;
}
