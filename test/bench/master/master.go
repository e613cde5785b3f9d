// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/daemon/channel"
)

// master is a netmaster process.
type master struct {
	channel.Master
	address string
	cmd     *exec.Cmd
}

// launch starts netmaster, by plain HTTP, on a free port and waits until it is ready; its last flags say where its store is.
func launch(ctx context.Context, program, logFile string, flags ...string) (*master, error) {
	return launchBy(ctx, program, logFile, "http", &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 128}}, append(flags, "--insecure")...)
}

// launchBy starts netmaster on a free port and waits until it is ready for a client that speaks to it by http or https.
func launchBy(ctx context.Context, program, logFile, scheme string, way *http.Client, flags ...string) (*master, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(logFile)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(program, append([]string{"--mode", "kubernetes", "--netmode", "vlan", "--fwdmode", "bridge", "--log-level", "WARN",
		"--external-address", address, "--internal-address", address}, flags...)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	m := &master{address: address, cmd: cmd, Master: channel.Master{Client: &client.Client{Base: scheme + "://" + address, HTTP: way}}}
	for range 400 {
		if answer, err := m.HTTP.Get(m.Base + "/readyz"); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return m, nil
			}
		}
		select {
		case <-ctx.Done():
			m.end(syscall.SIGKILL)
			return nil, ctx.Err()
		case <-time.After(25 * time.Millisecond):
		}
	}
	m.end(syscall.SIGKILL)
	text, _ := os.ReadFile(logFile)
	return nil, fmt.Errorf("netmaster is not ready after 10 s:\n%s", text)
}

// end signals the process and waits for its end.
func (m *master) end(s syscall.Signal) {
	_ = m.cmd.Process.Signal(s)
	_ = m.cmd.Wait()
}
