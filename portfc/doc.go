// Package portfc is PortFC: per-port flow control for node-centric data centers, where nodes
// forward what is not for them (Cao, Ning, Zhao et al.: Revisiting Flow Control in Node-Centric
// Datacenter Networks, IEEE Transactions on Networking, 2026).
package portfc
