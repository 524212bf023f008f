package emit

import (
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// expectations visits, for each port of the configuration, the driver's answer if the port's queues
// are where the words of flow control have them.
func (e *entry) expectations(cfg *ir.Config, visit func(*entry)) error {
	carvings, err := carvings(cfg)
	if err != nil {
		return err
	}
	for _, one := range cfg.Fixed {
		if one.Table != ir.Ports {
			continue
		}
		number, _ := one.Value("$DEV_PORT").(uint64)
		port, err := chip.ParseDevPort(int(number))
		if err != nil {
			return err
		}
		carving, carved := carvings[portGroup{port.Pipe(), port.Group()}]
		if !carved {
			carving = chip.DefaultCarving()
		}
		if carving.Count(port.Channel()) == 0 {
			continue // it has no queues that a word could name
		}
		is := carving.PortConfig(port)
		e.begin(ir.PortConfig.Name, "expect")
		e.key = append(e.key, said{name: "dev_port", fixed: number})
		e.data = append(e.data, said{name: "egress_qid_queues", fixed: unsigned(is.EgressQueues)},
			said{name: "ingress_qid_map", fixed: unsigned(is.IngressQueues)})
		visit(e)
	}
	return nil
}

// unsigned returns numbers as a fixed table has them.
func unsigned(list []int) []uint64 {
	made := make([]uint64, len(list))
	for at, one := range list {
		made[at] = uint64(one)
	}
	return made
}

// portGroup is a port group of a pipe.
type portGroup struct{ pipe, number int }

func carvings(cfg *ir.Config) (map[portGroup]chip.Carving, error) {
	made := map[portGroup]chip.Carving{}
	for _, e := range cfg.Fixed {
		if e.Table != ir.PortGroup {
			continue
		}
		number, _ := e.Value("pg_id").(uint64)
		list, _ := e.Value("port_queue_count").([]uint64)
		var counts [chip.Channels]int
		for at, count := range list[:min(len(list), chip.Channels)] {
			counts[at] = int(count)
		}
		carving, err := chip.NewCarving(counts)
		if err != nil {
			return nil, err
		}
		for pipe := range chip.Pipes {
			if e.Pipe < 0 || e.Pipe == pipe {
				made[portGroup{pipe, int(number)}] = carving
			}
		}
	}
	return made, nil
}
