package main

import (
	"errors"
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
			collectPort(metrics, node.place.name, strconv.Itoa(id), &node.ports[id])
		}
	}
	for f, flow := range c.plan.flows {
		labels := []string{flow.name, strconv.Itoa(f)}
		sent, sink := all[flow.from].sent[f], all[flow.to].sinks[f]
		count(metrics, sent, flowSent, labels...)
		count(metrics, sink.received, flowReceived, labels...)
		count(metrics, sink.outOfOrder, flowReordered, labels...)
		gauge(metrics, sink.delay99.Seconds(), flowDelay, labels...)
	}
}

func collectPort(metrics chan<- prometheus.Metric, node, port string, p *portSnapshot) {
	count(metrics, p.Received, received, node, port)
	count(metrics, p.Sent, sent, node, port)
	count(metrics, p.Lost, lost, node, port)
	count(metrics, p.Severed, severed, node, port)
	count(metrics, p.machine.FramesReceived, framesReceived, node, port)
	count(metrics, p.machine.Malformed, malformed, node, port)
	count(metrics, p.Downs, linkDowns, node, port)
	gauge(metrics, float64(p.waiting), waitingPackets, node, port)
	gauge(metrics, float64(p.held), heldQueues, node, port)
	for kind, n := range p.frames {
		count(metrics, n, framesSent, node, port, kind)
	}
	for why, n := range p.Refused {
		count(metrics, n, refused, node, port, refusal(why).String())
	}
	for why, n := range p.Dropped {
		count(metrics, n, dropped, node, port, sluice.Reason(why).String())
	}
}

// What is exported.
var (
	received       = portMetric("received_frames_total", "Frames that came in.")
	sent           = portMetric("sent_frames_total", "Frames that left.")
	lost           = portMetric("lost_frames_total", "Frames that the kernel had no room for.")
	severed        = portMetric("severed_frames_total", "Frames sent to an end that was down.")
	framesSent     = portMetric("control_sent_total", "Control frames sent.", "kind")
	framesReceived = portMetric("control_received_total", "Control frames that the machine was given.")
	malformed      = portMetric("malformed_total", "Control frames that were none.")
	refused        = portMetric("refused_total", "Frames that came in and went no further.", "why")
	dropped        = portMetric("dropped_total", "Packets that wanted to leave and did not.", "why")
	linkDowns      = portMetric("link_downs_total", "Times the link failed.")
	waitingPackets = portMetric("waiting_packets", "Packets in the queues.")
	heldQueues     = portMetric("held_queues", "Queues that the peer holds.")
	flowSent       = flowMetric("sent_total", "Packets sent.")
	flowReceived   = flowMetric("received_total", "Packets that arrived.")
	flowReordered  = flowMetric("reordered_total", "Packets that arrived too late, or twice.")
	flowDelay      = flowMetric("delay_seconds", "99th percentile of the delay from card to host.")
)

func portMetric(name, help string, labels ...string) *prometheus.Desc {
	labels = append([]string{"node", "port"}, labels...)
	return prometheus.NewDesc("wire_port_"+name, help, labels, nil)
}

func flowMetric(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("wire_flow_"+name, help, []string{"name", "number"}, nil)
}

func count(metrics chan<- prometheus.Metric, n uint64, d *prometheus.Desc, labels ...string) {
	metrics <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
}

func gauge(metrics chan<- prometheus.Metric, x float64, d *prometheus.Desc, labels ...string) {
	metrics <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, x, labels...)
}
