// Package podlabels reads the labels of one pod from a Kubernetes API server: a typed GET, asked again for each pod
// that starts, so that no answer is ever another pod's.
package podlabels

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// serviceAccount is where Kubernetes puts the credentials of a pod.
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"

// maxPod bounds the answer: etcd takes no object above 1.5 MiB.
const maxPod = 4 << 20

// Errors that callers decide on.
var (
	// ErrNotFound says that there is no such pod (any more).
	ErrNotFound = errors.New("pod does not exist")
	// ErrOther says that the pod of that name is another one than the one that was asked for.
	ErrOther = errors.New("pod was replaced by another one of its name")
)

// Client asks one API server. Its methods are safe for concurrent use.
type Client struct {
	base  string
	token func() (string, error)
	http  *http.Client
}

// Config says where the API server is and how to be known to it.
type Config struct {
	Server    string // "https://host:port"
	CA        []byte // PEM; empty: the system's
	Cert, Key []byte // PEM client certificate, or empty
	Token     string // bearer token, or ""
	TokenFile string // read again for each request, because tokens are rotated
}

// New returns a client. It does not connect.
func New(c Config) (*Client, error) {
	u, err := url.Parse(c.Server)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return nil, fmt.Errorf("kubernetes API server %q is not a URL like https://host:6443", c.Server)
	}
	conf := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(c.CA) > 0 {
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(c.CA) {
			return nil, errors.New("kubernetes: the CA holds no PEM certificate")
		}
	}
	if len(c.Cert) > 0 {
		pair, err := tls.X509KeyPair(c.Cert, c.Key)
		if err != nil {
			return nil, fmt.Errorf("kubernetes client certificate: %w", err)
		}
		conf.Certificates = []tls.Certificate{pair}
	}
	token := func() (string, error) { return c.Token, nil }
	if c.TokenFile != "" {
		token = func() (string, error) {
			b, err := os.ReadFile(c.TokenFile)
			return strings.TrimSpace(string(b)), err
		}
	}
	return &Client{base: strings.TrimRight(c.Server, "/"), token: token, http: &http.Client{
		Timeout:       10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the token is for this server
		Transport:     &http.Transport{TLSClientConfig: conf, MaxIdleConnsPerHost: 16, IdleConnTimeout: 90 * time.Second},
	}}, nil
}

// InCluster returns the configuration that Kubernetes gives to a pod; ok is false outside of one.
func InCluster() (c Config, ok bool, err error) {
	host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return c, false, nil
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	c = Config{Server: "https://" + host + ":" + port, TokenFile: serviceAccount + "/token"}
	if c.CA, err = os.ReadFile(serviceAccount + "/ca.crt"); err != nil {
		return c, true, fmt.Errorf("kubernetes service account: %w", err)
	}
	return c, true, nil
}

// kubeconfig is the part of a kubeconfig file that a client needs.
type kubeconfig struct {
	Current  string `yaml:"current-context"`
	Contexts []struct {
		Name    string
		Context struct{ Cluster, User string }
	}
	Clusters []struct {
		Name    string
		Cluster struct {
			Server string
			CAFile string `yaml:"certificate-authority"`
			CAData string `yaml:"certificate-authority-data"`
		}
	}
	Users []struct {
		Name string
		User struct {
			Token     string
			TokenFile string `yaml:"tokenFile"`
			CertFile  string `yaml:"client-certificate"`
			CertData  string `yaml:"client-certificate-data"`
			KeyFile   string `yaml:"client-key"`
			KeyData   string `yaml:"client-key-data"`
		}
	}
}

// Kubeconfig reads the current context of a kubeconfig file: server, CA, client certificate, token. Files that it names
// are taken relative to it.
func Kubeconfig(path string) (Config, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("kubeconfig: %w", err)
	}
	c, err := parseKubeconfig(b, func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(path), name)
		}
		return os.ReadFile(name)
	})
	if err != nil {
		return c, fmt.Errorf("kubeconfig %s: %w", path, err)
	}
	return c, nil
}

func parseKubeconfig(b []byte, read func(name string) ([]byte, error)) (Config, error) {
	var k kubeconfig
	if err := yaml.Unmarshal(b, &k); err != nil {
		return Config{}, err
	}
	var c Config
	var errs []error
	pem := func(data, file string) []byte {
		if data != "" {
			b, err := base64.StdEncoding.DecodeString(data)
			errs = append(errs, err)
			return b
		}
		if file == "" {
			return nil
		}
		b, err := read(file)
		errs = append(errs, err)
		return b
	}
	for _, x := range k.Contexts {
		if x.Name != k.Current {
			continue
		}
		for _, cl := range k.Clusters {
			if cl.Name == x.Context.Cluster {
				c.Server, c.CA = cl.Cluster.Server, pem(cl.Cluster.CAData, cl.Cluster.CAFile)
			}
		}
		for _, u := range k.Users {
			if u.Name == x.Context.User {
				c.Token, c.TokenFile = u.User.Token, u.User.TokenFile
				c.Cert, c.Key = pem(u.User.CertData, u.User.CertFile), pem(u.User.KeyData, u.User.KeyFile)
			}
		}
	}
	if c.Server == "" {
		errs = append(errs, fmt.Errorf("current-context %q names no cluster with a server", k.Current))
	}
	return c, errors.Join(errs...)
}

// Labels returns the labels of a pod; uid, unless empty, must be its own. It blocks until the API server answers, ten
// seconds at most, or ctx ends.
func (c *Client) Labels(ctx context.Context, namespace, name, uid string) (map[string]string, error) {
	what := namespace + "/" + name
	req, err := http.NewRequestWithContext(ctx, http.MethodGet,
		c.base+"/api/v1/namespaces/"+url.PathEscape(namespace)+"/pods/"+url.PathEscape(name), nil)
	if err != nil {
		return nil, fmt.Errorf("pod %s: %w", what, err)
	}
	token, err := c.token()
	if err != nil {
		return nil, fmt.Errorf("kubernetes token: %w", err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Header.Set("Accept", "application/json")
	res, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("pod %s: %w", what, err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxPod))
	switch {
	case err != nil:
		return nil, fmt.Errorf("pod %s: %w", what, err)
	case res.StatusCode == http.StatusNotFound:
		return nil, fmt.Errorf("%w: %s", ErrNotFound, what)
	case res.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("pod %s: the API server says %s: %.200s", what, res.Status, body)
	}
	return decodeLabels(body, what, uid)
}

func decodeLabels(body []byte, what, uid string) (map[string]string, error) {
	var pod struct {
		Metadata struct {
			UID    string            `json:"uid"`
			Labels map[string]string `json:"labels"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(body, &pod); err != nil {
		return nil, fmt.Errorf("pod %s: %w", what, err)
	}
	if uid != "" && pod.Metadata.UID != uid {
		return nil, fmt.Errorf("%w: %s has uid %q, want %q", ErrOther, what, pod.Metadata.UID, uid)
	}
	return pod.Metadata.Labels, nil
}
