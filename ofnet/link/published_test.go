// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/link/linktest"
)

// tellClients answers everyone who connects in a namespace with the address by which it sees the client.
func tellClients(t *testing.T, ns *linktest.Namespace, port string) {
	t.Helper()
	l, err := hostOf(t, ns).Listen(netip.MustParseAddrPort("[::]:" + port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			at := c.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap()
			_, _ = fmt.Fprintln(c, at)
			_ = c.Close()
		}
	}()
}

// client is the address by which anyone who answers sees the client, or "" when no one does.
func client(from *linktest.Namespace, to, port string) string {
	out, err := from.Exec("timeout", "3", "bash", "-c", "exec 3<>/dev/tcp/"+to+"/"+port+"; head -1 <&3")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}

func published(protocol uint8, from, to string) link.Published {
	return link.Published{Protocol: protocol, From: netip.MustParseAddrPort(from), To: netip.MustParseAddrPort(to)}
}

// A port of the host leads to a container, which sees its clients by their own addresses, but for those that the host would
// have to send answers for: its own loopback addresses, and other containers.
func TestSetPublished(t *testing.T) {
	h, host, container, _, far := guarded(t)
	tellClients(t, container, "1080")
	if err := h.AllowLoopback("hp0"); err != nil {
		t.Fatal(err)
	}
	tr := link.Translation{
		Ports: []link.Published{
			published(unix.IPPROTO_TCP, "0.0.0.0:8080", "10.1.0.2:1080"), published(unix.IPPROTO_TCP, "[::]:8080", "[fd01::2]:1080"),
			published(unix.IPPROTO_TCP, "10.3.0.1:8081", "10.1.0.2:1080"), published(unix.IPPROTO_TCP, "[fd03::1]:8081", "[fd01::2]:1080"),
			published(unix.IPPROTO_TCP, "0.0.0.0:8080", "10.1.0.2:9"), // the first counts
			published(unix.IPPROTO_UDP, "0.0.0.0:8082", "10.1.0.2:1080"),
		},
		Private: prefixes("10.1.0.0/24", "fd01::/64"), Own: []netip.Addr{netip.MustParseAddr("10.1.0.1"), netip.MustParseAddr("fd01::1")},
	}
	if err := h.SetPublished(tr); err != nil {
		t.Fatal(err)
	}
	if err := h.Masquerade(tr.Private[0], true); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name     string
		from     *linktest.Namespace
		to, port string
		want     string
	}{
		{"a client outside", far, "10.3.0.1", "8080", "10.3.0.2"},
		{"by IPv6", far, "fd03::1", "8080", "fd03::2"},
		{"another address of the host", far, "10.2.0.1", "8080", "10.3.0.2"},
		{"a port of one address", far, "10.3.0.1", "8081", "10.3.0.2"},
		{"the same of IPv6", far, "fd03::1", "8081", "fd03::2"},
		{"not at another address", far, "10.2.0.1", "8081", ""},
		{"not of another protocol", far, "10.3.0.1", "8082", ""},
		{"the host itself", host, "10.3.0.1", "8080", "10.3.0.1"},
		{"the host's loopback", host, "127.0.0.1", "8080", "10.1.0.1"},
		{"a container", container, "10.3.0.1", "8080", "10.1.0.1"},
		{"a container by IPv6", container, "fd03::1", "8080", "fd01::1"},
		{"not elsewhere", host, "10.3.0.2", "8080", ""},
	} {
		if got := client(tt.from, tt.to, tt.port); got != tt.want {
			t.Errorf("%s: %s:%s: the container sees %q, want %q", tt.name, tt.to, tt.port, got, tt.want)
		}
	}
	// A client whom the container would answer past the host, and then one place from which all answers come by the host.
	tr.Clients = []netip.Addr{netip.MustParseAddr("10.3.0.2")}
	for want, kept := range map[string][]netip.Addr{"10.1.0.1": nil, "10.3.0.2": {netip.MustParseAddr("10.1.0.2")}} {
		tr.Kept = kept
		if err := h.SetPublished(tr); err != nil {
			t.Fatal(err)
		}
		if got := client(far, "10.3.0.1", "8080"); got != want {
			t.Errorf("one of Clients, kept %v: the container sees %q, want %q", kept, got, want)
		}
	}
	if err := h.SetPublished(link.Translation{}); err != nil {
		t.Fatal(err)
	}
	if got := client(far, "10.3.0.1", "8080"); got != "" {
		t.Errorf("a port that leads nowhere is answered: %q", got)
	}
}

// other leads somewhere all the time: what the kernel knows of connections lasts as long as it translates anything.
var other = published(unix.IPPROTO_TCP, "0.0.0.0:9", "10.1.0.2:9")

// What is on its way is forgotten when a port leads elsewhere: the next packet of an open connection finds no one, and a
// datagram that went to the host goes to the container.
func TestForgetPublished(t *testing.T) {
	h, _, container, _, far := guarded(t)
	l, err := hostOf(t, container).Listen(netip.MustParseAddrPort("10.1.0.2:1081"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := published(unix.IPPROTO_TCP, "0.0.0.0:8080", "10.1.0.2:1081")
	if err := h.SetPublished(link.Translation{Ports: []link.Published{other, p}}); err != nil {
		t.Fatal(err)
	}
	// bash sends a line for each line of its input.
	cmd := exec.Command("ip", "netns", "exec", far.Name, "timeout", "20", "bash", "-c", "exec 3<>/dev/tcp/10.3.0.1/8080; while read line; do echo $line >&3; done")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close(); _ = cmd.Wait() }()
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	said := bufio.NewReader(c)
	_, _ = io.WriteString(in, "one\n")
	if line, err := said.ReadString('\n'); err != nil || line != "one\n" {
		t.Fatalf("the connection says %q, %v", line, err)
	}
	if err := h.SetPublished(link.Translation{Ports: []link.Published{other}}); err != nil {
		t.Fatal(err)
	}
	if err := h.ForgetPublished([]link.Published{p}, nil); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(in, "two\n")
	_ = c.SetReadDeadline(time.Now().Add(time.Second))
	if line, err := said.ReadString('\n'); err == nil {
		t.Errorf("after the connection was forgotten the container still gets %q", line)
	}
}

func TestBound(t *testing.T) {
	h, _ := open(t)
	l, err := h.Listen(netip.MustParseAddrPort("[::]:8080"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for at, want := range map[string]bool{"0.0.0.0:8080": true, "[::]:8080": true, "127.0.0.1:8080": true, "0.0.0.0:8081": false, "[::]:8081": false} {
		if err := h.Bound(unix.IPPROTO_TCP, netip.MustParseAddrPort(at)); (err != nil) != want {
			t.Errorf("tcp %s: %v", at, err)
		}
		if err := h.Bound(unix.IPPROTO_UDP, netip.MustParseAddrPort(at)); err != nil {
			t.Errorf("udp %s: %v", at, err)
		}
	}
}

// A client that asked the host over UDP before the port led to a container is answered by the container from then on.
func TestForgetDatagrams(t *testing.T) {
	h, _, container, _, far := guarded(t)
	ns, err := link.OpenNamespace(container.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer ns.Close()
	var l net.PacketConn
	if err := ns.Do(func() (err error) { l, err = net.ListenPacket("udp", "10.1.0.2:1082"); return err }); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	cmd := exec.Command("ip", "netns", "exec", far.Name, "timeout", "20", "bash", "-c", "exec 3<>/dev/udp/10.3.0.1/8082; while read line; do echo $line >&3; echo said; done")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close(); _ = cmd.Wait() }()
	said := bufio.NewReader(out)
	say := func(line string) {
		t.Helper()
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := said.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.SetPublished(link.Translation{Ports: []link.Published{other}}); err != nil {
		t.Fatal(err)
	}
	say("to the host")
	p := published(unix.IPPROTO_UDP, "0.0.0.0:8082", "10.1.0.2:1082")
	if err := h.SetPublished(link.Translation{Ports: []link.Published{other, p}}); err != nil {
		t.Fatal(err)
	}
	if err := h.ForgetPublished(nil, []link.Published{p}); err != nil {
		t.Fatal(err)
	}
	say("lost to the refusal of the first") // ECONNREFUSED, at this write
	say("to the container")
	_ = l.SetReadDeadline(time.Now().Add(5 * time.Second))
	buf := make([]byte, 100)
	if n, _, err := l.ReadFrom(buf); err != nil || !strings.Contains(string(buf[:n]), "to") {
		t.Errorf("the container gets %q, %v", buf[:n], err)
	}
}
