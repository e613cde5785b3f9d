// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/netctl/term"
)

// step is one command line of a session, with its exit code, what it prints, and a part of what it complains about.
type step struct {
	line string
	code int
	out  string
	err  string
}

func session(t *testing.T, steps []step) {
	t.Helper()
	m := mastertest.Start(t, mastertest.Options{})
	for _, s := range steps {
		got := netctl(t, context.Background(), m.URL, strings.Fields(s.line)...)
		if got.code != s.code || s.code == 0 && got.err != "" || !strings.Contains(got.err, s.err) {
			t.Errorf("netctl %s: want exit %d and %q, got %d and %q", s.line, s.code, s.err, got.code, got.err)
		}
		if got.out != s.out {
			t.Errorf("netctl %s:\nwant\n%s\ngot\n%s", s.line, s.out, got.out)
		}
	}
}

func TestPolicyCommands(t *testing.T) {
	session(t, []step{
		{"policy create p1", 0, "Creating policy default:p1\n", ""},
		{"policy create", 1, "", "Policy name required"},
		{"policy ls", 0, "Tenant   Policy\n------   ------\ndefault  p1\n", ""},
		{"policy ls -q", 0, "p1\n", ""},
		{"network create net7 -s 10.7.0.0/24", 0, "Creating network default:net7\n", ""},
		{"group create net7 web -p p1", 0, "Creating EndpointGroup default:web\n", ""},
		{"policy rule-add p1 2 -direction=in -protocol=tcp -port=80 -from-network net7 -action=allow -priority=10", 0, "", ""},
		{"policy rule-add p1 1 -d in -l tcp -j deny", 0, "", ""},
		{"policy rule-add p1 3 -d out --to-group web --port 443 -l tcp", 0, "", ""},
		{"policy rule-add p1", 1, "", "Policy name and Rule ID required"},
		{"policy rule-add p1 4 -d in --to-group web", 1, "", "incoming rule"},
		{"policy rule-add p1 4 -d in --from-group web -n net7", 1, "", "incoming rule"},
		{"policy rule-add p1 4 -d out -i 10.1.1.1", 1, "", "outgoing rule"},
		{"policy rule-add p1 4 -d both", 1, "", "both"},
		{"policy rule-add p1 4 -d in -s 10.1.1.1", 3, "", "toIpAddress"},
		{"policy rule-add p1 1", 3, "", "Cant change rule parameters"},
		{"policy rule-add nothing 1", 3, "", "Policy not found"},
		{"policy rule-ls p1", 0, "Incoming Rules:\n" +
			"Rule  Priority  From EndpointGroup  From Network  From IpAddress  To IpAddress  Protocol  Port  Action\n" +
			"----  --------  ------------------  ------------  ---------       ------------  --------  ----  ------\n" +
			"1     1                                                                         tcp       0     deny\n" +
			"2     10                            net7                                        tcp       80    allow\n" +
			"Outgoing Rules:\n" +
			"Rule  Priority  To EndpointGroup  To Network  To IpAddress  Protocol  Port  Action\n" +
			"----  --------  ----------------  ----------  ---------     --------  ----  ------\n" +
			"3     1         web                                         tcp       443   allow\n", ""},
		{"policy rule-ls p1 -q", 0, "1\n3\n2\n", ""},
		{"policy rule-inspect p1 nothing", 3, "", "rule not found"},
		{"policy rule-inspect p1 1", 0, "{\n  \"Config\": {\n    \"key\": \"default:p1:1\",\n    \"action\": \"deny\",\n    \"direction\": \"in\",\n    \"policyName\": \"p1\",\n    \"priority\": 1,\n    \"protocol\": \"tcp\",\n    \"ruleId\": \"1\",\n    \"tenantName\": \"default\",\n    \"link-sets\": {\n      \"Policies\": {\n        \"default:p1\": {\n          \"type\": \"policy\",\n          \"key\": \"default:p1\"\n        }\n      }\n    },\n    \"links\": {\n      \"MatchEndpointGroup\": {}\n    }\n  },\n  \"Oper\": {}\n}\n", ""},
		{"policy rule-ls nothing", 3, "", "policy not found"},
		{"policy rm p1", 3, "Deleting policy default:p1\n", "Policy is being used"},
		{"policy rule-rm p1 3", 0, "", ""},
		{"policy rule-rm p1 3", 3, "", "rule not found"},
		{"group create net7 web", 0, "Creating EndpointGroup default:web\n", ""},
		{"policy rm p1", 0, "Deleting policy default:p1\n", ""},
		{"get rule -o name -a", 0, "", ""},
	})
}

func TestProfileCommands(t *testing.T) {
	session(t, []step{
		{"netprofile create -b 500Kbps -d 6 -s 80 prof1", 0, "Creating netprofile default:prof1\n", ""},
		{"netprofile create plain", 0, "Creating netprofile default:plain\n", ""},
		{"netprofile create", 1, "", "Net profile name required"},
		{"netprofile create bad -s 1", 3, "", "burst Value Out of bound"},
		{"netprofile ls", 0, "Name    Tenant   Bandwidth  DSCP      burst size\n" +
			"------  ------   ---------  --------  ----------\n" +
			"plain   default             0         0\n" +
			"prof1   default  500Kbps    6         80\n", ""},
		{"network create n1 -s 10.1.1.0/24", 0, "Creating network default:n1\n", ""},
		{"group create n1 web -n prof1", 0, "Creating EndpointGroup default:web\n", ""},
		{"group create n1 db", 0, "Creating EndpointGroup default:db\n", ""},
		{"netprofile rm prof1", 3, "", "being used"},
		{"app-profile create shop -g web,db", 0, "Creating AppProfile default:shop\n", ""},
		{"app-profile create bad -g web,nothing", 3, "", "nothing"},
		{"app-profile ls", 0, "Tenant   AppProfile  Groups\n------   ----------  ------\ndefault  shop        web,db\n", ""},
		{"app-profile group-ls shop", 0, "web,db", ""},
		{"group rm web", 3, "", "app profile"},
		{"app-profile update shop -g db", 0, "", ""},
		{"app-profile group-ls shop", 0, "db", ""},
		{"app-profile rm", 1, "", "Profile name required"},
		{"app-profile rm shop", 0, "", ""},
		{"group rm web", 0, "", ""},
		{"netprofile rm prof1", 0, "", ""},
		{"external-contracts create web -p -a a -a b", 0, "Creating ExternalContracts default:web\n", ""},
		{"external-contracts create web -a a", 1, "", "--consumed"},
		{"external-contracts create web -p", 1, "", "--contract"},
		{"external-contracts ls", 0, "Tenant   Name      Type      Contracts\n" +
			"------   ------    ------    -------\n" +
			"default  web       provided  [a b]\n", ""},
		{"external-contracts inspect web", 1, "", "inspect"},
		{"external-contracts rm web", 0, "Deleting external contracts group web in tenant default\n", ""},
	})
}

func TestServiceCommands(t *testing.T) {
	session(t, []step{
		{"network create svc-net -s 10.1.1.0/24", 0, "Creating network default:svc-net\n", ""},
		{"service create app-svc --network svc-net --tenant default --selector=tier=web --selector=release=stable --port 8080:80:TCP", 0,
			"Creating ServiceLB default:app-svc\n", ""},
		{"service create other -s svc-net -l a=b -p 1:2:udp -ip 10.1.1.9", 0, "Creating ServiceLB default:other\n", ""},
		{"service create", 1, "", "Service name required"},
		{"service create bad -s svc-net -l a=b -p 1:2", 3, "", "Invalid port format"},
		{"service ls", 0, "ServiceName  Tenant    Network  Selectors                  Address   Ports        Providers\n" +
			"---------    --------  -------  -------                    -------   -----        ---------\n" +
			"app-svc      default   svc-net  [tier=web release=stable]  10.1.1.1  8080:80:TCP  0/0\n" +
			"other        default   svc-net  [a=b]                      10.1.1.9  1:2:udp      0/0\n", ""},
		{"service ls -q", 0, "app-svc\nother\n", ""},
		{"service inspect other", 0, "{\n  \"Config\": {\n    \"key\": \"default:other\",\n    \"ipAddress\": \"10.1.1.9\",\n    \"networkName\": \"svc-net\",\n" +
			"    \"ports\": [\n      \"1:2:udp\"\n    ],\n    \"selectors\": [\n      \"a=b\"\n    ],\n    \"serviceName\": \"other\",\n    \"tenantName\": \"default\",\n" +
			"    \"links\": {\n      \"Network\": {\n        \"type\": \"network\",\n        \"key\": \"default:svc-net\"\n      },\n      \"Tenant\": {\n        \"type\": \"tenant\",\n" +
			"        \"key\": \"default\"\n      }\n    }\n  },\n  \"Oper\": {\n    \"serviceVip\": \"10.1.1.9\"\n  }\n}\n", ""},
		{"service rm other", 0, "Deleting Service  other,default\n", ""},
		{"network rm svc-net", 3, "Deleting network default:svc-net\n", "services"},
	})
}

func TestBgpCommands(t *testing.T) {
	session(t, []step{
		{"bgp create node1 -router-ip=50.1.1.2/24 --as=65002 --neighbor-as=500 --neighbor=50.1.1.200", 0, "", ""},
		{"bgp create node1", 1, "", "Router-ip is required"},
		{"bgp create node1 --router-ip 50.1.1.2 --as=1 --neighbor-as=2 --neighbor=50.1.1.200", 1, "", "--router-ip"},
		{"bgp create node1 --router-ip 50.1.1.2/24 --as=1 --neighbor-as=2 --neighbor=x", 1, "", "--neighbor: got x"},
		{"bgp create node1 --router-ip 50.1.1.2/24 --as=1 --neighbor=50.1.1.200", 1, "", "Neighbor-as is required"},
		{"bgp create", 1, "", "Host name required"},
		{"bgp ls", 0, "HostName   RouterIP     AS       Neighbor    NeighborAS\n" +
			"---------  --------     -------  --------    -------\n" +
			"node1      50.1.1.2/24  65002    50.1.1.200  500\n", ""},
		{"bgp ls -q", 0, "node1\n", ""},
		{"bgp rm node1", 0, "Deleting Bgp router config: node1\n", ""},
		{"bgp rm node1", 3, "Deleting Bgp router config: node1\n", "Bgp not found"},
	})
}

func TestSingleCommands(t *testing.T) {
	session(t, []step{
		{"aci-gw info", 0, "", ""},
		{"aci-gw inspect", 3, "", "aciGw not found"},
		{"aci-gw set", 3, "", "physicalDomain"},
		{"aci-gw set -d dom -p topology/pod-1/paths-101/pathep-[eth1/14]", 0, "", ""},
		{"aci-gw info", 0, "Path bindings: topology/pod-1/paths-101/pathep-[eth1/14]\nNode bindings: \nPhysical domain: dom\nEnforce policies: yes\nInclude Common-Tenant: no\n", ""},
		{"aci-gw set -d dom -e no", 0, "", ""},
		{"aci-gw info", 0, "Path bindings: \nNode bindings: \nPhysical domain: dom\nEnforce policies: no\nInclude Common-Tenant: no\n", ""},
		{"aci-gw info x", 1, "", "More arguments than required"},
		{"volume ls", 1, "", "volume"},
	})
}

// CLI-04: logging in needs TLS, posts name and password, and keeps the token.
func TestLogin(t *testing.T) {
	proxy := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var b bytes.Buffer
		_, _ = b.ReadFrom(q.Body)
		switch {
		case q.URL.Path == "/api/v1/tenants/" && q.Header.Get("X-Auth-Token") == "abc":
			_, _ = w.Write([]byte(`[{"tenantName":"seen"}]`))
		case q.URL.Path != "/api/v1/auth_proxy/login/" || q.Method != http.MethodPost:
			http.NotFound(w, q)
		case b.String() == `{"password":"right","username":"joe"}`:
			_, _ = w.Write([]byte(`{"token":"abc"}`))
		case b.String() == `{"password":"strange","username":"joe"}`:
			http.Error(w, "upside down", http.StatusTeapot)
		default:
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer proxy.Close()
	home := t.TempDir()
	run := func(url, user, password string, args ...string) result {
		var out, errs bytes.Buffer
		f := &Factory{
			Streams: term.Streams{In: strings.NewReader(user + "\n"), Out: &out, Err: &errs, Now: time.Now,
				Secret: func() (string, error) { return password, nil }},
			Home: home, Getenv: func(string) string { return "" }, HTTP: proxy.Client().Transport,
		}
		return result{Run(context.Background(), f, append([]string{"--netmaster", url}, args...)), out.String(), errs.String()}
	}
	tests := []struct {
		url, user, password string
		code                int
		out, err            string
	}{
		{"http://" + proxy.Listener.Addr().String(), "joe", "right", 3, "login requires a https auth_proxy URL\n", "https"},
		{proxy.URL, "", "right", 3, "Username: ", "username"},
		{proxy.URL, "joe", "wrong", 3, "Username: Password: \n", "Login failed: Bad username or password."},
		{proxy.URL, "joe", "strange", 3, "Username: Password: \n", "Login failed: unexpected response code (418): upside down"},
		{proxy.URL, "joe", "right", 0, "Username: Password: \nLogin succeeded.\n", ""},
	}
	for _, test := range tests {
		got := run(test.url, test.user, test.password, "login")
		if got.code != test.code || got.out != test.out || !strings.Contains(got.err, test.err) {
			t.Errorf("login %s/%s: want %d %q %q, got %+v", test.user, test.password, test.code, test.out, test.err, got)
		}
	}
	if got := run(proxy.URL, "right", "", "login", "--user", "joe", "--password-stdin"); got.code != 0 || got.out != "Login succeeded.\n" {
		t.Errorf("by a script: got %+v", got)
	}
	if got := run(proxy.URL, "right", "", "login", "--password-stdin"); got.code != 1 || !strings.Contains(got.err, "--user USER") {
		t.Errorf("by a script, without a name: got %+v", got)
	}
	path := filepath.Join(home, ".netctl", "config.json")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token file must be readable only by its owner: %v %v", info, err)
	}
	if got := run(proxy.URL, "", "", "tenant", "ls", "-q"); got.out != "seen\n" {
		t.Errorf("a command after login must send the token, got %+v", got)
	}
	if got := run("http://"+proxy.Listener.Addr().String(), "", "", "tenant", "ls"); got.code != 3 {
		t.Errorf("a token over http: want exit 3, got %+v", got)
	}
}
