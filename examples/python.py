"""A made-up assistant whose runs are recorded, and a look at what was recorded.

    ASSAY_URL=http://localhost:8080 ASSAY_API_KEY=asy_... python3 examples/python.py
"""

from assay import Assay

assay = Assay(project="python example")


@assay.span(type="tool")
def search(city: str) -> list:
    return [f"Monday to {city}", f"Tuesday to {city}"]


@assay.trace
def answer(question: str) -> str:
    flights = search("Oslo")
    with assay.span("choose", type="llm", model="model-a", input=question) as span:
        span.output = flights[0]
        span.metrics.update(num_input_tokens=9, num_output_tokens=3)
    return flights[0]


answer("A flight to Oslo, please")
assay.flush()

for trace in assay.traces.search(limit=1).first()["records"]:
    whole = assay.traces.get(trace["id"])
    print(whole["name"], "->", whole["output"])
    for step in whole["spans"]:
        print(" ", step["type"], step["name"])
