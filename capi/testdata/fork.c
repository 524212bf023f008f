/* A process that has used the library forks; what the child is answered, and that the parent goes
 * on. */
#include "sluice.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static sluice_machine make(sluice_error *error) {
  return sluice_machine_new(
      "pfc", "Ports=1, Ports[0].Link.Rate=1Gbps, Ports[0].Alpha=1, Buffer=1MB", error);
}

int main(void) {
  sluice_error error;
  sluice_packet p = {.size = 100, .ingress = SLUICE_LOCAL};
  sluice_machine m = make(&error);
  printf("parent: %d\n", m != 0);
  fflush(stdout);
  if (fork() == 0) {
    sluice_machine mine = make(&error);
    printf("child: %d, %d %s\n", mine != 0, error.code, error.text);
    printf("hooks: %d %d %d, %d\n", sluice_enqueue(m, 0, 0, &p) == SLUICE_REFUSED,
           sluice_next(m, 0, 0), sluice_ports(m), (int)sluice_deadline(m));
    return fflush(stdout);
  }
  wait(NULL);
  printf("parent: %d %d\n", make(&error) != 0, sluice_next(m, 0, 0));
  return 0;
}
