/* Tasks with data of their own, undeferred ones, taskloops, singles that copy: prints their sums. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

struct block { double values[40]; };

static double with_data(void) {
    double sum = 0;
    struct block block;
    for (int i = 0; i < 40; i++) block.values[i] = i;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task firstprivate(block, i) shared(sum) if (i % 2)
        {
            double own = 0;
            block.values[0] = i;
            for (int k = 0; k < 40; k++) own += block.values[k];
#pragma omp atomic
            sum += own;
        }
    }
    return sum;
}

static long loops(void) {
    long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskloop grainsize(10) reduction(+ : sum)
        for (long i = 0; i < 100; i++) sum += i;
#pragma omp taskloop num_tasks(5)
        for (unsigned long long i = 0; i < 50; i++) {
#pragma omp atomic
            sum += (long)i;
        }
    }
    return sum;
}

static int in_order(void) {
    int value = 1;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : value) shared(value)
        value += 4;
#pragma omp task depend(inout : value) shared(value)
        value *= 3;
    }
    return value;
}

static int copied(void) {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        int mine = -1;
        for (int i = 0; i < 4; i++) {
#pragma omp single copyprivate(mine)
            mine = i;
            sum += mine;
        }
    }
    return sum;
}

int main(void) {
    printf("%g %ld %d %d\n", with_data(), loops(), in_order(), copied());
    return 0;
}
