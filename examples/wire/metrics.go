package main

import (
	"errors"
	"maps"
	"net"
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/sluicefc/sluice"
)

// serveMetrics serves the counters to Prometheus.
func (l *lab) serveMetrics(address string) (closer func() error, err error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	registry := prometheus.NewRegistry()
	if err := registry.Register(collector{l}); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	server := &http.Server{Handler: mux}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			l.failed <- err
		}
	}()
	return server.Close, nil
}

// collector asks the nodes when Prometheus asks it.
type collector struct{ *lab }

// Describe implements prometheus.Collector.
func (c collector) Describe(descriptions chan<- *prometheus.Desc) {
	prometheus.DescribeByCollect(c, descriptions)
}

// Collect implements prometheus.Collector.
func (c collector) Collect(metrics chan<- prometheus.Metric) {
	all := c.snapshots()
	for _, node := range all {
		for id := range node.ports {
			labels := prometheus.Labels{"node": node.place.name, "port": strconv.Itoa(id)}
			scrape{metrics, "wire_port_", labels}.port(&node.ports[id])
		}
	}
	for f, flow := range c.plan.flows {
		s := scrape{
			metrics, "wire_flow_", prometheus.Labels{"name": flow.name, "number": strconv.Itoa(f)},
		}
		sent, sink := all[flow.from].sent[f], all[flow.to].sinks[f]
		s.count(sent, "sent_total", "Packets sent.")
		s.count(sink.received, "received_total", "Packets that arrived.")
		s.count(sink.outOfOrder, "reordered_total", "Packets that arrived too late, or twice.")
		s.gauge(sink.delay99.Seconds(), "delay_seconds",
			"99th percentile of the delay from card to host.")
	}
}

// scrape takes what is exported of a port or a flow.
type scrape struct {
	metrics chan<- prometheus.Metric
	prefix  string
	labels  prometheus.Labels
}

func (s scrape) port(p *portSnapshot) {
	s.count(p.Received, "received_frames_total", "Frames that came in.")
	s.count(p.Sent, "sent_frames_total", "Frames that left.")
	s.count(p.Lost, "lost_frames_total", "Frames that the kernel had no room for.")
	s.count(p.Severed, "severed_frames_total", "Frames sent to an end that was down.")
	s.count(p.machine.FramesReceived, "control_received_total",
		"Control frames that the machine was given.")
	s.count(p.machine.Malformed, "malformed_total", "Malformed control frames.")
	s.count(p.Downs, "link_downs_total", "Times the link failed.")
	s.gauge(float64(p.waiting), "waiting_packets", "Packets in the queues.")
	s.gauge(float64(p.held), "held_queues", "Queues that the peer holds.")
	for kind, n := range p.frames {
		s.with("kind", kind).count(n, "control_sent_total", "Control frames sent.")
	}
	for why, n := range p.Refused {
		s.with("why", refusal(why).String()).count(n, "refused_total",
			"Frames that came in and went no further.")
	}
	for why, n := range p.Dropped {
		s.with("why", sluice.Reason(why).String()).count(n, "dropped_total",
			"Packets that wanted to leave and did not.")
	}
}

func (s scrape) with(label, value string) scrape {
	s.labels = maps.Clone(s.labels)
	s.labels[label] = value
	return s
}

func (s scrape) count(n uint64, name, help string) {
	s.put(prometheus.CounterValue, float64(n), name, help)
}

func (s scrape) gauge(x float64, name, help string) {
	s.put(prometheus.GaugeValue, x, name, help)
}

func (s scrape) put(kind prometheus.ValueType, x float64, name, help string) {
	desc := prometheus.NewDesc(s.prefix+name, help, nil, s.labels)
	s.metrics <- prometheus.MustNewConstMetric(desc, kind, x)
}
