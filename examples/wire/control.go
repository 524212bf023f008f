package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
)

const commandHelp = "show | down NODE PORT | up NODE PORT | threshold XOFF XON"

// serveControl obeys the lines that come in at a Unix socket, and answers each.
func (l *lab) serveControl(path string) (closer func() error, err error) {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go l.obey(connection)
		}
	}()
	return func() error {
		err := listener.Close()
		if left := os.Remove(path); !errors.Is(left, os.ErrNotExist) {
			err = errors.Join(err, left)
		}
		return err
	}, nil
}

func (l *lab) obey(connection net.Conn) {
	defer connection.Close()
	for lines := bufio.NewScanner(connection); lines.Scan(); {
		answer, err := l.command(lines.Text())
		if err != nil {
			answer = "error: " + err.Error() + "\n"
		}
		if _, err := connection.Write([]byte(answer)); err != nil {
			return
		}
	}
}

func (l *lab) command(line string) (answer string, err error) {
	var name string
	var port, xoff, xon int
	verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch verb {
	case "show":
		return l.report(), nil
	case "down", "up":
		if _, err := fmt.Sscanf(rest, "%s %d", &name, &port); err != nil {
			return "", fmt.Errorf("%s NODE PORT: %w", verb, err)
		}
		err = l.setLink(name, port, verb == "up")
	case "threshold":
		if _, err := fmt.Sscanf(rest, "%d %d", &xoff, &xon); err != nil {
			return "", fmt.Errorf("threshold XOFF XON: %w", err)
		}
		err = l.setThreshold(xoff, xon)
	default:
		return "", errors.New(commandHelp)
	}
	return "ok\n", err
}

// setLink takes an interface up or down. The nodes at both ends see it by its carrier.
func (l *lab) setLink(name string, port int, up bool) error {
	at, err := l.plan.named(name)
	if err != nil {
		return err
	}
	if port < 0 || port >= len(at.peers) {
		return fmt.Errorf("%s has ports 0 to %d", name, len(at.peers)-1)
	}
	return l.cables.setLink(at, sluice.PortID(port), up)
}

// setThreshold gives all switches under PFC other thresholds, while packets pass.
func (l *lab) setThreshold(xoff, xon int) error {
	if l.settings.protocol != "pfc" {
		return fmt.Errorf("%s has no thresholds that can change", l.settings.protocol)
	}
	for _, n := range l.nodes {
		if n.kind == host {
			continue
		}
		var err error
		n.do(func() { err = n.setThreshold(xoff, xon) })
		if err != nil {
			return err
		}
	}
	return nil
}

// setThreshold gives a node other thresholds. Reconfigure is a hook of PFC alone, which the driver
// does not know: its wake goes to Act.
func (n *node) setThreshold(xoff, xon int) error {
	changed := n.settings
	changed.xoff, changed.xon = xoff, xon
	if err := changed.check(); err != nil {
		return err
	}
	machine := kit.Unwrap(n.driver.Machine()).(*pfc.Switch)
	wake, err := machine.Reconfigure(n.now, pfcConfig(&site{settings: &changed, place: n.place}))
	if err != nil {
		return err
	}
	n.settings = changed
	n.driver.Act(n.now, wake)
	return nil
}
