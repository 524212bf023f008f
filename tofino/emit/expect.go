package emit

import (
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// expectations returns what the driver is to answer for each port of the configuration if its
// queues are where the words of flow control have them.
func expectations(cfg *ir.Config) ([]*entry, error) {
	carvings, err := carvings(cfg)
	if err != nil {
		return nil, err
	}
	var list []*entry
	for _, e := range cfg.Fixed {
		if e.Table != ir.Ports {
			continue
		}
		number, _ := datum(e.Keys, "$DEV_PORT").(uint64)
		port, err := chip.ParseDevPort(int(number))
		if err != nil {
			return nil, err
		}
		carving, carved := carvings[portGroup{port.Pipe(), port.Group()}]
		if !carved {
			carving = chip.DefaultCarving()
		}
		if carving.Count(port.Channel()) == 0 {
			continue // it has no queues that a word could name
		}
		is := carving.PortConfig(port)
		list = append(list, &entry{Table: ir.PortConfig.Name, Op: "expect", Pipe: AllPipes,
			Key:  fields{{"dev_port", number}},
			Data: fields{{"egress_qid_queues", is.EgressQueues}, {"ingress_qid_map", is.IngressQueues}}})
	}
	return list, nil
}

// portGroup is a port group of a pipe.
type portGroup struct{ pipe, number int }

// carvings returns how the configuration carves port groups.
func carvings(cfg *ir.Config) (map[portGroup]chip.Carving, error) {
	made := map[portGroup]chip.Carving{}
	for _, e := range cfg.Fixed {
		if e.Table != ir.PortGroup {
			continue
		}
		number, _ := datum(e.Keys, "pg_id").(uint64)
		list, _ := datum(e.Data, "port_queue_count").([]uint64)
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

// datum returns the value of a field, nil if nothing is said of it.
func datum(data []ir.FixedDatum, field string) any {
	for _, one := range data {
		if one.Field == field {
			return one.Value
		}
	}
	return nil
}
