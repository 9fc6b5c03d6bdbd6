package helm_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"sigs.k8s.io/yaml"
)

const chartFolder = "../../deploy/helm/bellhop"

// object is a Kubernetes object.
type object = map[string]any

// TestLint runs the checks of "helm lint".
func TestLint(t *testing.T) {
	t.Parallel()
	result := lint.All(chartFolder, nil, "default", true)
	for _, m := range result.Messages {
		if m.Severity >= support.WarningSev {
			t.Errorf("%s: %v", m.Path, m.Err)
		}
	}
}

// render returns the objects of the chart with values, by their kinds. Two services are Service and Service-nodes.
func render(t *testing.T, text string) (map[string]object, error) {
	t.Helper()
	c, err := loader.Load(chartFolder)
	if err != nil {
		t.Fatal(err)
	}
	values, err := chartutil.ReadValues([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	release := chartutil.ReleaseOptions{Name: "chat", Namespace: "apps", IsInstall: true}
	all, err := chartutil.ToRenderValues(c, values, release, chartutil.DefaultCapabilities)
	if err != nil {
		t.Fatal(err)
	}
	files, err := engine.Render(c, all)
	if err != nil {
		return nil, err
	}
	objects := map[string]object{}
	for name, file := range files {
		if strings.HasSuffix(name, ".txt") {
			continue
		}
		for part := range strings.SplitSeq(file, "\n---\n") {
			var o object
			if err := yaml.UnmarshalStrict([]byte(part), &o); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, part)
			}
			if len(o) == 0 {
				continue
			}
			kind := o["kind"].(string)
			if strings.HasSuffix(at(o, "metadata", "name").(string), "-nodes") {
				kind += "-nodes"
			}
			objects[kind] = o
		}
	}
	return objects, nil
}

// at returns a member of an object by its path. A list stands for its first element.
func at(value any, path ...string) any {
	for _, name := range path {
		if list, ok := value.([]any); ok && len(list) > 0 {
			value = list[0]
		}
		members, ok := value.(object)
		if !ok {
			return nil
		}
		value = members[name]
	}
	return value
}

// environment returns the variables of the container.
func environment(o object) map[string]string {
	variables := map[string]string{}
	list, _ := at(o, "spec", "template", "spec", "containers", "env").([]any)
	for _, v := range list {
		variables[v.(object)["name"].(string)], _ = v.(object)["value"].(string)
	}
	return variables
}

func TestObjects(t *testing.T) {
	t.Parallel()
	const secrets = "secrets: {values: {BELLHOP_POSTGRES: postgres://db/bellhop, BELLHOP_REDIS: redis://cache}}\n"
	for _, tt := range []struct{ name, values, want string }{
		{"one node", "", "Service Service-nodes StatefulSet"},
		{"several nodes", "replicas: 3\n" + secrets, "PodDisruptionBudget Secret Service Service-nodes StatefulSet"},
		{"a secret that exists", "replicas: 2\nsecrets: {existing: keys}", "PodDisruptionBudget Service Service-nodes StatefulSet"},
		{"autoscaling", "autoscaling: {enabled: true}\n" + secrets, "HorizontalPodAutoscaler PodDisruptionBudget Secret Service Service-nodes StatefulSet"},
		{"ingress", "ingress: {enabled: true, hosts: [bellhop.example]}", "Ingress Service Service-nodes StatefulSet"},
		{"a world", "world: 'users: []'", "ConfigMap Service Service-nodes StatefulSet"},
		{"no disruption budget", "replicas: 3\npodDisruptionBudget: {enabled: false}\n" + secrets, "Secret Service Service-nodes StatefulSet"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			objects, err := render(t, tt.values)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(slices.Sorted(maps.Keys(objects)), " "); got != tt.want {
				t.Errorf("the chart has %s, want %s", got, tt.want)
			}
		})
	}
}

// TestSeveralNodesNeedDatabase checks that the chart refuses several nodes with a SQLite database each.
func TestSeveralNodesNeedDatabase(t *testing.T) {
	t.Parallel()
	for _, values := range []string{"replicas: 2", "autoscaling: {enabled: true}"} {
		if _, err := render(t, values); err == nil || !strings.Contains(err.Error(), "BELLHOP_POSTGRES") {
			t.Errorf("%s: %v, want an error that names BELLHOP_POSTGRES", values, err)
		}
	}
}

func TestPod(t *testing.T) {
	t.Parallel()
	objects, err := render(t, "replicas: 3\nsecrets: {existing: keys}\ningress: {enabled: true, hosts: [bellhop.example]}\n"+
		"metrics: {enabled: true}\nattachments: {existingClaim: files}\nworld: 'users: []'\nenv: {BELLHOP_MEMORY: 1GiB}")
	if err != nil {
		t.Fatal(err)
	}
	pod := objects["StatefulSet"]
	want := map[string]string{
		"BELLHOP_DATA": "/data", "BELLHOP_LISTEN": "0.0.0.0:8080", "BELLHOP_PUBLIC_URL": "https://bellhop.example", "BELLHOP_MEMORY": "1GiB",
		"BELLHOP_METRICS_LISTEN": "0.0.0.0:9090", "BELLHOP_ATTACHMENTS": "/attachments", "BELLHOP_WORLD": "/etc/bellhop/world.yaml",
	}
	if got := environment(pod); !maps.Equal(got, want) {
		t.Errorf("environment %v, want %v", got, want)
	}
	container := []string{"spec", "template", "spec", "containers"}
	for _, tt := range []struct {
		path []string
		want any
	}{
		{[]string{"spec", "replicas"}, float64(3)},
		{[]string{"spec", "template", "spec", "securityContext", "runAsNonRoot"}, true},
		{append(container, "securityContext", "readOnlyRootFilesystem"), true},
		{append(container, "securityContext", "allowPrivilegeEscalation"), false},
		{append(container, "livenessProbe", "httpGet", "path"), "/healthz"},
		{append(container, "readinessProbe", "httpGet", "path"), "/readyz"},
		{append(container, "envFrom", "secretRef", "name"), "keys"},
		{append(container, "image"), "bellhop:0.1.0"},
	} {
		if got := at(pod, tt.path...); got != tt.want {
			t.Errorf("%s = %v, want %v", strings.Join(tt.path, "."), got, tt.want)
		}
	}
}
