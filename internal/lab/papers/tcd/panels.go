package tcd

// panels are what pictures of results have, by scenario: what its figure shows.
var panels = map[string][]string{
	"tcd/fig3":       {"port-queue", "port-rate"},
	"tcd/fig4":       {"port-queue", "port-rate"},
	"tcd/alike":      {"port-queue"},
	"tcd/victim":     {"flows"},
	"tcd/epsilon":    {"measured:longest-queue-at-P2", "measured:P2-on-and-off-until"},
	"tcd/isolated":   {"port-queue"},
	"tcd/overlapped": {"port-queue"},
	"tcd/covered":    {"port-queue"},
	"tcd/credit":     {"measured:rate-of-the-flow-headers-too"},
}
