// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os/exec"
	"strings"
	"time"
)

// networkTimeout bounds the wait for a network that an agent creates in its engine.
const networkTimeout = 10 * time.Second

// dockerNetwork is the name that agents give the network or group of a container in their engines.
func (c *Container) dockerNetwork() string {
	name := cmp.Or(c.Group, c.Network)
	if c.Tenant != "default" && c.Tenant != "" {
		name += "/" + c.Tenant
	}
	return name
}

// attachDocker makes the host's engine run a container of Image. Its network namespace gets a name, so that it can be used like others.
func (l *Lab) attachDocker(ctx context.Context, c Container) (*Container, error) {
	if err := l.awaitNetwork(ctx, c); err != nil {
		return nil, err
	}
	if _, err := l.docker(ctx, c.Host, "run", "-d", "--name", c.Name, "--network", c.dockerNetwork(), Image); err != nil {
		return nil, errors.Join(err, l.detachDocker(ctx, c))
	}
	err := l.adopt(ctx, &c)
	if err != nil {
		return nil, errors.Join(err, l.detachDocker(ctx, c))
	}
	return &c, l.keep(c)
}

// awaitNetwork returns when the host's engine has the container's network.
func (l *Lab) awaitNetwork(ctx context.Context, c Container) error {
	for end := time.Now().Add(networkTimeout); ; {
		_, err := l.docker(ctx, c.Host, "network", "inspect", c.dockerNetwork())
		if err == nil || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollPause):
		}
	}
}

// adopt reads a container's addresses from its engine, and names its network namespace.
func (l *Lab) adopt(ctx context.Context, c *Container) error {
	text, err := l.docker(ctx, c.Host, "inspect", c.Name)
	if err != nil {
		return err
	}
	var seen []struct {
		State           struct{ Pid int }
		NetworkSettings struct {
			Networks map[string]struct{ IPAddress, GlobalIPv6Address, MacAddress string }
		}
	}
	if err := json.Unmarshal([]byte(text), &seen); err != nil || len(seen) != 1 {
		return fmt.Errorf("docker inspect %s: %w", c.Name, err)
	}
	for _, n := range seen[0].NetworkSettings.Networks {
		c.MAC = n.MacAddress
		for _, a := range []string{n.IPAddress, n.GlobalIPv6Address} {
			if ip, err := netip.ParseAddr(a); err == nil {
				c.IPs = append(c.IPs, ip)
			}
		}
	}
	return l.onHost(ctx, l.hostNumber(c.Host), "ip", "netns", "attach", c.Name, fmt.Sprint(seen[0].State.Pid))
}

// detachDocker makes the engine end and remove the container.
func (l *Lab) detachDocker(ctx context.Context, c Container) error {
	if l.hasNamespace(c) { // its name would keep it
		if err := l.onHost(ctx, l.hostNumber(c.Host), "ip", "netns", "del", c.Name); err != nil {
			return err
		}
	}
	_, err := l.docker(ctx, c.Host, "rm", "-f", c.Name)
	return err
}

// docker runs the engine's command on a host and returns its output.
func (l *Lab) docker(ctx context.Context, host string, args ...string) (string, error) {
	cmd, err := l.Command(ctx, host, append([]string{"docker"}, args...)...)
	if err != nil {
		return "", err
	}
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("%s: docker %s: %s", host, strings.Join(args, " "), strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}
