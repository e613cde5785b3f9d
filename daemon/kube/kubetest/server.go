// Package kubetest is an API server of Kubernetes for tests and measurements of what reads one: it lists and watches, refuses resource versions that it has
// forgotten, does not know kinds that are not installed, and may be away. It admits whatever it is given, merges what it is to change of the
// status of services and cluster-wide policies, and reviews tokens.
package kubetest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// TB is what a Server needs of a test: testing.TB, or a measurement that is none.
type TB interface {
	Helper()
	Cleanup(func())
	TempDir() string
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Object is any object of Kubernetes. Its kind and version must be set.
type Object interface {
	metav1.Object
	runtime.Object
}

// Server is the API server.
type Server struct {
	http *httptest.Server

	mu      sync.Mutex
	version int
	objects map[string]map[string]stored // by resource, such as "pods", and by key
	events  []event
	oldest  int           // version before which events are forgotten
	moved   chan struct{} // closed at the next change
	away    bool
	frozen  bool
	hidden  map[string]bool // resources that the account may not read
	crd     definition
	held    string // resource whose watches send nothing
	served  int
	patched int
	tokens  map[string]Token
	// forbidden says that no status may be changed, and no token reviewed.
	forbidden bool
	streams   bool // lists are sent by watches, and in protobuf to who takes that
}

type stored struct {
	version int
	text    json.RawMessage
	proto   []byte // the same in protobuf, while the server streams; nil of kinds that have none
}

type event struct {
	stored
	resource, happened string
}

// Start starts a Server on loopback, without objects, to which cluster-wide network policies are not known. It ends with the test.
func Start(tb TB) *Server {
	tb.Helper()
	return StartAt(tb, "127.0.0.1:0")
}

// StartAt is Start at an address of this machine.
func StartAt(tb TB, address string) *Server {
	tb.Helper()
	s := &Server{version: 1, objects: map[string]map[string]stored{}, moved: make(chan struct{}), hidden: map[string]bool{},
		crd: definition{serves: []string{"v1alpha2", "v1beta1"}}}
	s.http = httptest.NewUnstartedServer(s)
	listener, err := net.Listen("tcp", address)
	if err != nil {
		tb.Fatal(err)
	}
	_ = s.http.Listener.Close() // the one that it would have used
	s.http.Listener = listener
	s.http.Start()
	tb.Cleanup(func() {
		s.Away(true)
		s.http.Close()
	})
	return s
}

// Kubeconfig writes a kubeconfig for the server into a folder of the test's and returns its path.
func (s *Server) Kubeconfig(tb TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],`+
		`"clusters":[{"name":"c","cluster":{"server":%q}}],"users":[{"name":"u","user":{}}]}`, s.http.URL)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// Put makes or changes objects.
func (s *Server) Put(tb TB, objects ...Object) {
	tb.Helper()
	for _, o := range objects {
		s.change(tb, o, false)
	}
}

// Delete removes objects.
func (s *Server) Delete(tb TB, objects ...Object) {
	tb.Helper()
	for _, o := range objects {
		s.change(tb, o, true)
	}
}

func (s *Server) change(tb TB, o Object, gone bool) {
	tb.Helper()
	kind := o.GetObjectKind().GroupVersionKind().Kind
	resource := strings.ToLower(kind) + "s"
	if stem, ok := strings.CutSuffix(resource, "ys"); ok {
		resource = stem + "ies"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	o.SetResourceVersion(strconv.Itoa(s.version))
	text, err := json.Marshal(o)
	if err != nil {
		tb.Fatal(err)
	}
	key := o.GetNamespace() + "/" + o.GetName()
	_, had := s.objects[resource][key]
	happened := "MODIFIED"
	switch {
	case gone && !had:
		tb.Fatalf("there is no %s %s to delete", kind, key)
	case gone:
		happened = "DELETED"
		delete(s.objects[resource], key)
	case !had:
		happened = "ADDED"
	}
	it, err := s.stored(o, text)
	if err != nil {
		tb.Fatal(err)
	}
	if !gone {
		if s.objects[resource] == nil {
			s.objects[resource] = map[string]stored{}
		}
		s.objects[resource][key] = it
	}
	s.events = append(s.events, event{it, resource, happened})
	s.wake()
}

// wake tells the watches to look again. The caller holds the lock.
func (s *Server) wake() {
	close(s.moved)
	s.moved = make(chan struct{})
}

// Hold stops the watches of a resource, such as "services", from sending events; "" lets all of them continue with what they missed.
func (s *Server) Hold(resource string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = resource
	s.wake()
}

// Away has the server end all connections and answer nobody, or answer again.
func (s *Server) Away(away bool) {
	s.mu.Lock()
	s.away = away
	s.wake()
	s.mu.Unlock()
	if away {
		s.http.CloseClientConnections()
	}
}

// Freeze has the server keep its connections and answer nothing, or work again.
func (s *Server) Freeze(is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frozen = is
	s.wake()
}

// thaw blocks while the server is frozen, unless the client goes.
func (s *Server) thaw(ctx context.Context) {
	for {
		s.mu.Lock()
		frozen, moved := s.frozen && !s.away, s.moved
		s.mu.Unlock()
		if !frozen {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-moved:
		}
	}
}

// Forget drops the history of what has changed: watches that begin before now are refused, as after a compaction.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.events, s.oldest = nil, s.version
}

// Lists is how many lists were served.
func (s *Server) Lists() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.served
}
