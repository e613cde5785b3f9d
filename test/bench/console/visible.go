// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/test/bench/report"
)

const (
	visibleLimit   = 300 * time.Millisecond
	visibleSamples = 100
)

// visible measures how long a change that a real netmaster has acknowledged takes to be on the screen of a console.
func visible(ctx context.Context, t *report.Table, bin string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	url, end, err := netmaster(ctx, filepath.Join(filepath.Dir(bin), "netmaster"))
	if err != nil {
		return err
	}
	defer end()
	c := &client.Client{Base: url, Timeout: waitLimit}
	if _, err := c.Tenants().List(ctx); err != nil {
		return err
	}
	terminal, err := openTerminal(100, 30)
	if err != nil {
		return err
	}
	defer terminal.close()
	_, quit, err := terminal.start(ctx, bin, "--netmaster", url, "--theme", "mono", "--screen", "tenants")
	if err != nil {
		return err
	}
	defer quit()
	var took []time.Duration
	for i := range visibleSamples {
		// Names that follow one another have no letter in common: the terminal is sent what differs only.
		name := word('a'+rune(i%2)*13, 13, 12)
		terminal.clear()
		if _, err := c.Tenants().Put(ctx, &model.Tenant{TenantName: name}); err != nil {
			return fmt.Errorf("make tenant %s: %w", name, err)
		}
		d, err := terminal.wait(time.Now(), name)
		if err != nil {
			return err
		}
		took = append(took, d)
		if _, err := c.Tenants().Delete(ctx, name); err != nil {
			return fmt.Errorf("delete tenant %s: %w", name, err)
		}
		time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond) // not in step with the console's frames
	}
	p99 := report.Percentile(took, 99)
	t.Add(report.Row{What: "a change, from the write's acknowledgement to the screen, p50 / p99", Ours: report.Millis(report.Median(took)) + " / " + report.Millis(p99),
		Target: "p99 <= " + report.Millis(visibleLimit), Met: p99 <= visibleLimit})
	return nil
}

// word is n letters at random, of some letters from one on.
func word(from rune, letters, n int) string {
	out := make([]rune, n)
	for i := range out {
		out[i] = from + rune(rand.IntN(letters))
	}
	return string(out)
}

// netmaster starts a netmaster with a store of its own on loopback, and returns its URL and what ends it.
func netmaster(ctx context.Context, bin string) (url string, end func(), err error) {
	dir, err := os.MkdirTemp("", "bench-console-")
	if err != nil {
		return "", nil, err
	}
	var at [3]string
	for i := range at {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", nil, err
		}
		at[i] = l.Addr().String()
		_ = l.Close()
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, bin, "--insecure", "--mode", "kubernetes", "--netmode", "vlan", "--fwdmode", "bridge", "--external-address", at[0], "--internal-address", at[0],
		"--embedded-store", filepath.Join(dir, "store"), "--embedded-name", "m", "--embedded-client-url", "http://"+at[1], "--embedded-peer-url", "http://"+at[2],
		"--embedded-cluster", "m=http://"+at[2])
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	return "http://" + at[0], func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = log.Close()
		_ = os.RemoveAll(dir)
	}, nil
}
