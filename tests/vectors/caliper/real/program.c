/* Regions in a loop, a phase, a communication region, metadata: what an annotated code has. */
#include <caliper/cali.h>

static double work(int n) {
  double x = 1.0;
  for (int i = 1; i < n * 1000; i++) x += 1.0 / (i * x);
  return x;
}

int main(void) {
  cali_set_global_string_byname("app.name", "heat");
  cali_set_global_int_byname("app.size", 64);
  cali_set_global_double_byname("app.tol", 1.25e-7);
  double sum = 0;
  CALI_MARK_FUNCTION_BEGIN;
  CALI_MARK_PHASE_BEGIN("setup");
  sum += work(20);
  CALI_MARK_PHASE_END("setup");
  cali_id_t level = cali_create_attribute("level", CALI_TYPE_INT, CALI_ATTR_ASVALUE);
  CALI_MARK_LOOP_BEGIN(steps, "steps");
  for (int i = 0; i < 3; i++) {
    CALI_MARK_ITERATION_BEGIN(steps, i);
    cali_begin_int(level, i * 10);
    CALI_MARK_BEGIN("solve a=b,c");
    sum += work(30 + 10 * i);
    CALI_MARK_COMM_REGION_BEGIN("exchange");
    sum += work(5);
    CALI_MARK_COMM_REGION_END("exchange");
    CALI_MARK_END("solve a=b,c");
    cali_end(level);
    CALI_MARK_ITERATION_END(steps);
  }
  CALI_MARK_LOOP_END(steps);
  CALI_MARK_BEGIN("write");
  sum += work(10);
  CALI_MARK_END("write");
  CALI_MARK_FUNCTION_END;
  return sum > 0 ? 0 : 1;
}
