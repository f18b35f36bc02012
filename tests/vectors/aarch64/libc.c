/* A program of aarch64 with the C library: its functions call ours, in a thread and in a signal handler. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
volatile long sink;
__attribute__((noinline)) void deep(long n) { sink += n; }
__attribute__((noinline)) int order(const void *a, const void *b) { deep(*(const int *)a); return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) void sort(void) { int v[] = {5, 3, 9, 1, 7}; qsort(v, 5, sizeof *v, order); sink += v[0]; }
__attribute__((noinline)) void handler(int n) { deep(n); sort(); }
static long rounds;
__attribute__((noinline)) void spin(void) { for (long i = 0; i < rounds; i++) deep(i); }
__attribute__((noinline)) void *body(void *a) { raise(SIGUSR1); sort(); spin(); return a; }
int main(int count, char **words) {
    pthread_t t;
    rounds = count > 1 ? atol(words[1]) : 0;
    signal(SIGUSR1, handler);
    sort();
    pthread_create(&t, NULL, body, NULL);
    pthread_join(t, NULL);
    char text[64]; memset(text, 65, sizeof text); text[63] = 0; puts(text);
    return 0;
}
