/* A loop of three switches, each with a host whose packets go two switches on, by the rules of
   papers: a model of what they say, not of this library's code.

   With PFC defined (IEEE 802.1Qbb): a switch that holds XOFF packets of an ingress pauses the port upstream,
   and resumes it when it holds none of that ingress any more.

   With PYRRHA defined instead, the isolation of Pyrrha (section III): packets that will pass the next
   switch's port, a congestion root, wait in a queue of their own, and its pause holds only these.

   A pause, a resume and a packet take any time on their way. */

#define N 3
#define XOFF 1
#ifndef PACKETS
#define PACKETS 1 /* of each host */
#endif

#define FAR 0  /* passes the next switch's port, too */
#define NEAR 1 /* goes to the next switch's host */

chan oq[N] = [2 * PACKETS] of { bit };
#ifdef PYRRHA
chan iq[N] = [PACKETS] of { bit };
#define waitsFar iq
#else
#define waitsFar oq
#endif
chan link[N] = [1] of { bit }; /* of switch i to the next */
chan back[N] = [1] of { bit }; /* to switch i from the next: 1 pauses, 0 resumes */
byte delivered;

proctype Switch(byte i; byte before) {
  byte toEnter = PACKETS, held;
  bit p, paused, told;
end:
  do
  /* the host's next packet comes in */
  :: atomic { toEnter > 0 -> toEnter--; waitsFar[i]!FAR }
  /* what arrives goes to the host, or on */
  :: atomic { link[before]?NEAR -> delivered++ }
  :: atomic { link[before]?FAR -> held++; oq[i]!NEAR }
  /* the transmitter sends what is not held */
#ifdef PYRRHA
  :: atomic { !paused && nempty(iq[i]) && nfull(link[i]) -> iq[i]?p; link[i]!p }
  :: atomic { nempty(oq[i]) && nfull(link[i]) -> oq[i]?p; link[i]!p; held-- }
#else
  :: atomic { !paused && nempty(oq[i]) && nfull(link[i]) ->
       oq[i]?p; link[i]!p; if :: p == NEAR -> held-- :: else fi }
#endif
  /* pause and resume */
  :: atomic { held >= XOFF && !told && nfull(back[before]) -> told = 1; back[before]!1 }
  :: atomic { held == 0 && told && nfull(back[before]) -> told = 0; back[before]!0 }
  :: back[i]?paused
  od
}

init {
  atomic { run Switch(0, 2); run Switch(1, 0); run Switch(2, 1) }
  timeout -> assert(delivered == N * PACKETS) /* nothing can happen: all came where they go */
}
