// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/contiv/contiv/lab/hostinit"
)

// PartDocker is a Docker engine of a host.
const PartDocker = "docker"

// dockerSocket is an engine's socket on its host.
const dockerSocket = "/run/docker.sock"

// agentSocket is the agent's socket for the plugin proxy of a host, and pluginSocket the proxy's for the engine.
const (
	agentSocket  = "/run/contiv/contiv-docker.sock"
	pluginSocket = "/run/docker/plugins/netplugin.sock"
)

// dockerArgs is the command line of an engine: all its data is below the host's directories and its own control group, and it changes
// networks only by drivers.
func (p *Plan) dockerArgs(host int) []string {
	args := []string{"dockerd", "--host", "unix://" + dockerSocket, "--data-root", hostinit.Inside + "/docker", "--exec-root", "/run/docker-exec",
		"--pidfile", "/run/docker.pid", "--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false", "--userland-proxy=false",
		"--exec-opt", "native.cgroupdriver=cgroupfs", "--cgroup-parent", "/" + p.cgroup(hostName(host))}
	if p.ownEngine() {
		args = append(args, "--containerd", containerdSocket, "--seccomp-profile=unconfined") // a runc without C libraries has no seccomp
	} else {
		args = append(args, "--storage-driver=overlay2")
	}
	if p.DockerScore {
		args = append(args, "--oom-score-adjust=0") // to lower it needs CAP_SYS_RESOURCE
	}
	return append(args, p.DockerFlags...)
}

// findDocker looks up the engine and records what its flags need.
func (l *Lab) findDocker() error {
	if l.DockerBin != "" {
		for _, program := range []string{"dockerd", "docker", "containerd", "containerd-shim-runc-v2", "runc"} {
			if _, err := os.Stat(filepath.Join(l.DockerBin, program)); err != nil {
				return fmt.Errorf("directory of the engine: %w; make engines builds one in .cache/engines", err)
			}
		}
	}
	path, err := l.lookPath("dockerd")
	if err != nil {
		return errors.New("dockerd is not installed: apt-get install docker.io")
	}
	help, err := exec.Command(path, "--help").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s --help: %w: %s", path, err, bytes.TrimSpace(help))
	}
	l.DockerScore = bytes.Contains(help, []byte("--oom-score-adjust"))
	return nil
}

// startDockers starts the engines and loads the image into each.
func (l *Lab) startDockers(ctx context.Context) error {
	file := filepath.Join(l.Dir, "box.tar")
	i, err := box()
	if err == nil {
		err = writeImage(i, file)
	}
	if err != nil {
		return err
	}
	return l.each(func(host int) error {
		for _, part := range []string{PartContainerd, PartDocker} {
			if l.args(host, part) == nil {
				continue
			}
			if err := l.startPart(host, part); err != nil {
				return err
			}
			if err := l.awaitPart(ctx, host, part); err != nil {
				return err
			}
		}
		return l.loadImage(ctx, host, file)
	})
}

// dockerClient is a client of a host's engine.
func (l *Lab) dockerClient(host int) (*http.Client, error) {
	socket, err := l.inside(host, dockerSocket)
	if err != nil {
		return nil, err
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	return &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}, nil
}
