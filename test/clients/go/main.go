// A project, an experiment, an event, a fetch, a query and an error, by a client generated from the OpenAPI document.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"client/api"
)

func main() {
	ctx := context.Background()
	client, err := api.NewClientWithResponses(os.Getenv("BRAINTRUST_API_URL"), api.WithRequestEditorFn(authorize))
	check(err)

	project, err := client.CreateProjectWithResponse(ctx, api.ProjectCreate{Name: "generated client of Go"})
	check(err)
	name := "generated client"
	experiment, err := client.CreateExperimentWithResponse(ctx, api.ExperimentCreate{ProjectId: project.JSON200.Id, Name: &name})
	check(err)
	id := experiment.JSON200.Id

	row, score := "row", api.ExperimentEventInsert_Scores_AdditionalProperties{}
	check(score.FromExperimentEventInsertScores0(0.1))
	event := api.ExperimentEventInsert{
		Id:     &row,
		Input:  "question",
		Output: map[string]any{"answer": 42},
		Scores: &map[string]*api.ExperimentEventInsert_Scores_AdditionalProperties{"exact": &score},
	}
	inserted, err := client.InsertExperimentEventsWithResponse(ctx, id, api.InsertExperimentEventsJSONRequestBody{Events: []api.ExperimentEventInsert{event}})
	check(err)
	fmt.Println("rows", inserted.JSON200.RowIds)

	fetched, err := client.FetchExperimentEventsWithResponse(ctx, id, &api.FetchExperimentEventsParams{})
	check(err)
	stored := fetched.JSON200.Events[0]
	var exact float64 = *(*stored.Scores)["exact"]
	fmt.Println("fetched", stored.Output, exact)

	query := fmt.Sprintf("measures: count(1) as n, avg(scores.exact) as mean | from: experiment('%s')", id)
	fmt.Println("queried", run(ctx, client, query).JSON200.Data)

	refused := run(ctx, client, "x")
	fmt.Println("error", refused.StatusCode(), string(refused.Body))
}

func authorize(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Bearer "+os.Getenv("BRAINTRUST_API_KEY"))
	return nil
}

func run(ctx context.Context, client *api.ClientWithResponses, text string) *api.RunQueryResponse {
	body := api.QueryRequest{}
	check(body.Query.FromQueryRequestQuery0(text))
	answer, err := client.RunQueryWithResponse(ctx, body)
	check(err)
	return answer
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
