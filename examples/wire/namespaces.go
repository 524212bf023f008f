package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/vishvananda/netns"
)

// Where named namespaces are, and how ours are named.
const (
	namespaceDir    = "/run/netns"
	namespacePrefix = "wire"
)

func namespaceName(at *place) string {
	return namespacePrefix + strconv.Itoa(os.Getpid()) + "-" + at.name
}

// addNamespace makes a namespace in which nothing but us sends.
func addNamespace(name string) (made netns.NsHandle, err error) {
	err = apart(func() error {
		if made, err = netns.NewNamed(name); err != nil {
			return err
		}
		quiet := "/proc/sys/net/ipv6/conf/default/disable_ipv6"
		if err := os.WriteFile(quiet, []byte("1"), 0); err != nil && !os.IsNotExist(err) {
			return err
		}
		return nil
	})
	return made, err
}

// removeLeftovers removes the namespaces of processes that were killed.
func removeLeftovers() {
	left, _ := filepath.Glob(filepath.Join(namespaceDir, namespacePrefix+"*-*"))
	for _, path := range left {
		name := filepath.Base(path)
		id, _, _ := strings.Cut(strings.TrimPrefix(name, namespacePrefix), "-")
		if _, err := os.Stat("/proc/" + id); os.IsNotExist(err) {
			netns.DeleteNamed(name)
		}
	}
}

// apart runs f on a thread that ends with it, so that it may go to another namespace.
func apart(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		done <- f()
	}()
	return <-done
}
