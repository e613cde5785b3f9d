// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/lab"
)

// Witnesses are containers that no move touches, one on each host. They reach each other, whatever becomes of the store.
const (
	witnessTenant  = "witness"
	witnessNetwork = "kept"
	witnessPrefix  = "witness-"
	witnessLimit   = 90 * time.Second // until all of them are there and reach each other
	pingEvery      = "0.02"           // seconds
)

// isWitness reports whether a container is one of those that no move touches.
func isWitness(name string) bool { return strings.HasPrefix(name, witnessPrefix) }

// witnesses are the containers that no move touches, which it makes where there are none, once each reaches the next.
func (c *cluster) witnesses(ctx context.Context) (all []string, err error) {
	err = c.repeat(ctx, witnessLimit, func(ctx context.Context) error {
		all = nil
		for _, o := range []model.Object{&model.Tenant{TenantName: witnessTenant}, &model.Network{TenantName: witnessTenant, NetworkName: witnessNetwork, Encap: "vxlan", Subnet: "10.88.0.0/24"}} {
			if _, err := c.api.Put(ctx, o); err != nil && model.AsError(err).Code != model.CodeImmutable { // it is there, with what follows from its use
				return err
			}
		}
		for _, h := range hosts {
			x := lab.Container{Name: witnessPrefix + h, Host: h, Tenant: witnessTenant, Network: witnessNetwork}
			if _, err := c.lab.Container(x.Name); err != nil {
				if _, err := c.lab.Attach(ctx, x); err != nil {
					return err
				}
			}
			all = append(all, x.Name)
		}
		for i, from := range all {
			cmd, err := c.lab.Ping(ctx, from, all[(i+1)%len(all)], 4, "-c", "3", "-i", "0.2", "-W", "1")
			if err != nil {
				return err
			}
			if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte(" 0% packet loss")) {
				return fmt.Errorf("%s does not reach the next witness: %s", from, bytes.TrimSpace(out))
			}
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("witnesses: %w", err)
	}
	return all, err
}

// stream is a ping that runs.
type stream struct {
	from, to string
	cmd      *exec.Cmd
	out      bytes.Buffer
}

// watch has each witness ping the next, and returns what ends that. An error names what was lost.
func (c *cluster) watch(ctx context.Context) (end func() error, err error) {
	all, err := c.witnesses(ctx)
	if err != nil {
		return nil, err
	}
	var streams []*stream
	for i, from := range all {
		s := &stream{from: from, to: all[(i+1)%len(all)]}
		if s.cmd, err = c.lab.Ping(context.WithoutCancel(ctx), s.from, s.to, 4, "-n", "-D", "-i", pingEvery, "-W", "1"); err == nil {
			s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.out
			s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // nsenter, and the ping that it starts
			err = s.cmd.Start()
		}
		if err != nil {
			return nil, errors.Join(err, ended(streams))
		}
		streams = append(streams, s)
	}
	return func() error { return ended(streams) }, nil
}

// silence is how many pings in a row are lost by an interruption, of a tenth of a second. Fewer a machine loses whose processors are
// taken; scenarios see to these.
const silence = 5

// ended ends pings, and returns an error that names what was interrupted.
func ended(streams []*stream) error {
	var wrong []error
	for _, s := range streams {
		if err := syscall.Kill(-s.cmd.Process.Pid, syscall.SIGINT); err != nil {
			wrong = append(wrong, fmt.Errorf("end the ping of %s: %w", s.from, err))
		}
		_ = s.cmd.Wait() // its code reports whether any was answered, as what follows does
		if p := lab.ReadPings(s.out.String()); p.Sent == 0 || p.Longest() >= silence {
			wrong = append(wrong, fmt.Errorf("pings of %s to %s were lost: %s, after those of %s", s.from, s.to, p, times(s.out.String(), p.Lost)))
		}
	}
	return errors.Join(wrong...)
}

// answered is what ping(8) prints of each answer with -D: when it came, in seconds, and its number.
var answered = regexp.MustCompile(`\[(\d+)\.(\d+)\].* icmp_seq=(\d+)`)

// times are when the answers before those that were lost came, the first few.
func times(text string, lost []int) (out []string) {
	at := map[string]string{}
	for _, m := range answered.FindAllStringSubmatch(text, -1) {
		seconds, _ := strconv.ParseInt(m[1], 10, 64)
		at[m[3]] = time.Unix(seconds, 0).UTC().Format("15:04:05") + "." + m[2]
	}
	for _, n := range lost[:min(len(lost), 5)] {
		out = append(out, at[strconv.Itoa(n-1)])
	}
	return out
}
