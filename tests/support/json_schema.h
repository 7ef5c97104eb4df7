// A small JSON Schema checker and a maker of damaged documents, to hold the schemas in data/schemas
// against the typed readers. Of JSON Schema it knows what those schemas use; an unknown keyword
// fails the test.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace tare::test {

using Json = nlohmann::json;

Json schema(const std::string& name);  // data/schemas/NAME.schema.json

// Whether `schema` takes `document`; `root` is the whole schema, for its $defs.
bool takes(const Json& schema, const Json& document, const Json& root);

// Calls `check` with a copy of `document` for each damage: each value replaced by others of each
// type, each field or item left out, an unknown field added to each object; `pointer` is the place
// of the damage (of what it was left out of).
void for_each_damage(
    const Json& document,
    const std::function<void(const Json& damaged, const std::string& pointer)>& check);

}  // namespace tare::test
