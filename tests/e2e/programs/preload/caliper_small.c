/* One region in another, four times. */
void cali_begin_region(const char *);
void cali_end_region(const char *);
#pragma weak cali_begin_region
#pragma weak cali_end_region

int main(void) {
  if (!cali_begin_region) return 3;
  cali_begin_region("main");
  for (int i = 0; i < 4; i++) {
    cali_begin_region("work");
    cali_end_region("work");
  }
  cali_end_region("main");
  return 0;
}
