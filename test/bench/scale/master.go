// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// master is a netmaster process.
type master struct {
	url string
	cmd *exec.Cmd
}

// launch starts netmaster on a free port of an address of this machine, and waits until it is ready.
func launch(ctx context.Context, program, host, logFile, etcd string) (*master, error) {
	address, err := free(host)
	if err != nil {
		return nil, err
	}
	return launchAt(ctx, program, address, logFile, "--etcd-endpoints", etcd)
}

// free is an address of this machine with a port at which no one listens.
func free(host string) (string, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// launchAt starts netmaster at an address with a store, as flags say it, and waits until it is ready.
func launchAt(ctx context.Context, program, address, logFile string, store ...string) (*master, error) {
	log, err := os.Create(logFile)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.CommandContext(ctx, program, append([]string{"--insecure", "--mode", "kubernetes", "--netmode", "vlan", "--fwdmode", "bridge", "--log-level", "WARN",
		"--external-address", address, "--internal-address", address, "--max-connections-per-client", "20000", "--max-connections", "20000", "--max-agents", "80000"}, store...)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	m := &master{url: "http://" + address, cmd: cmd}
	for end := time.Now().Add(timeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		answer, err := http.Get(m.url + "/readyz")
		if err != nil {
			continue
		}
		_ = answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return m, nil
		}
	}
	m.end(syscall.SIGKILL)
	text, _ := os.ReadFile(logFile)
	return nil, fmt.Errorf("netmaster is not ready after %s:\n%s", timeout, text)
}

// end signals the process and waits for its end.
func (m *master) end(s syscall.Signal) {
	_ = m.cmd.Process.Signal(s)
	_ = m.cmd.Wait()
}
