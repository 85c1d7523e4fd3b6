// Lists of merges: from files, in the serialized form, and as a table.
#pragma once

#include "device-runtime/llm/tokenizer/json/tokenizer_json.h"
#include "device-runtime/llm/tokenizer/pipeline/model.h"

namespace ferry::llm {

inline constexpr size_t kMaxPairs = 1 << 23;             // of a table
inline constexpr size_t kMaxRankedTokenBytes = 1 << 10;  // of a token whose splits are all tried

using MergePairs = std::vector<std::pair<uint32_t, uint32_t>>;

// The pairs of `merges` (two texts each) over the tokens of `names`, which are `tokens` as the file
// spells them. kMalformed names a merge whose parts or whole the vocabulary lacks. Of a pair that
// stands there twice the last counts; parts that are not kMatched never come up.
Result<MergePairs> PairsOfTexts(const TextList& merges, const TextList& names,
                                const std::vector<uint32_t>& ids, const std::vector<Token>& tokens);
// Lines of merges.txt, two texts each.
Result<TextList> MergesOfLines(std::string_view text);
// kMalformed names a merge by its place.
Result<MergeTable> MergesOfList(const Vocabulary& vocabulary, const MergePairs& merges);

void WriteMerges(const MergePairs& merges, SerialWriter& writer);
void ReadMerges(SerialReader& reader, MergePairs& merges);

}  // namespace ferry::llm
