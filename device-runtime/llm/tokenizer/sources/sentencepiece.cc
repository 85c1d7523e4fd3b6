// tokenizer.model of sentencepiece: a protobuf message, read field by field.
#include "device-runtime/formats/onnx/wire.h"
#include "device-runtime/llm/tokenizer/bpe/sp_bpe.h"
#include "device-runtime/llm/tokenizer/sources/sources.h"
#include "device-runtime/llm/tokenizer/unigram/unigram.h"

namespace ferry::llm {
namespace {

using formats::WireField;
using formats::WireReader;

enum PieceType {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6
};
enum ModelType { kUnigramModel = 1, kBpeModel = 2 };

struct SpPiece {
  std::string_view text;
  float score = 0;
  int64_t type = kNormal;
};

struct SpModel {
  std::vector<SpPiece> pieces;
  int64_t type = kUnigramModel;
  bool suffix = false;  // spaces stand behind words
  std::string_view charsmap;
  bool prefix = true;
  bool squeeze = true;
  bool escape = true;
};

// Calls take(field) -> Status for each field of a message.
template <typename Take>
Status ForEachField(WireReader reader, Take take) {
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(const WireField field, reader.Next());
    FERRY_TRY(take(field));
  }
  return OkStatus();
}

Status ReadPiece(const WireField& message, SpModel& model) {
  FERRY_TRY(formats::ExpectType(message, 2));
  if (model.pieces.size() >= static_cast<size_t>(kMaxVocabulary)) {
    return Status::Of(Code::kLimitExceeded, "over {} pieces", kMaxVocabulary);
  }
  SpPiece& piece = model.pieces.emplace_back();
  return ForEachField(WireReader::Inside(message), [&piece](const WireField& field) {
    switch (field.number) {
      case 1:
        piece.text = field.text();
        return formats::ExpectType(field, 2);
      case 2:
        piece.score = field.fixed_float();
        return formats::ExpectType(field, 5);
      case 3:
        piece.type = field.integer();
        return formats::ExpectType(field, 0);
      default:
        return OkStatus();
    }
  });
}

Status ReadTrainer(const WireField& message, SpModel& model) {
  FERRY_TRY(formats::ExpectType(message, 2));
  return ForEachField(WireReader::Inside(message), [&model](const WireField& field) {
    if (field.number == 3) {
      model.type = field.integer();
      return formats::ExpectType(field, 0);
    }
    if (field.number == 24) {
      model.suffix = field.value != 0;
      return formats::ExpectType(field, 0);
    }
    return OkStatus();
  });
}

Status ReadNormalizerSpec(const WireField& message, SpModel& model) {
  FERRY_TRY(formats::ExpectType(message, 2));
  return ForEachField(WireReader::Inside(message), [&model](const WireField& field) {
    switch (field.number) {
      case 2:
        model.charsmap = field.text();
        return formats::ExpectType(field, 2);
      case 3:
        model.prefix = field.value != 0;
        return formats::ExpectType(field, 0);
      case 4:
        model.squeeze = field.value != 0;
        return formats::ExpectType(field, 0);
      case 5:
        model.escape = field.value != 0;
        return formats::ExpectType(field, 0);
      default:
        return OkStatus();
    }
  });
}

Result<SpModel> ReadModel(ByteView bytes) {
  SpModel model;
  FERRY_TRY(ForEachField(WireReader(bytes), [&model](const WireField& field) {
    if (field.number == 1) return ReadPiece(field, model);
    if (field.number == 2) return ReadTrainer(field, model);
    if (field.number == 3) return ReadNormalizerSpec(field, model);
    return OkStatus();
  }));
  if (model.pieces.empty()) return Status(Code::kMalformed, "a model without pieces");
  if (model.suffix) return Status(Code::kUnsupported, "treat_whitespace_as_suffix");
  if (!model.escape) return Status(Code::kUnsupported, "a model that does not escape white space");
  if (model.type != kUnigramModel && model.type != kBpeModel) {
    return Status::Of(Code::kUnsupported,
                      "a sentencepiece model of type {}; supported: unigram, bpe", model.type);
  }
  return model;
}

void AppendSpNormal(const SpModel& model, std::vector<NormalStep>& steps) {
  if (!model.charsmap.empty()) {
    NormalStep& step = steps.emplace_back();
    step.kind = NormalStep::kCharsmap;
    step.pattern = model.charsmap;
  }
  if (model.squeeze) steps.emplace_back().kind = NormalStep::kSqueeze;
  if (model.prefix) {
    NormalStep& step = steps.emplace_back();
    step.kind = NormalStep::kPrepend;
    step.flags = 1;
    step.content = kSpaceMark;
  }
  NormalStep& step = steps.emplace_back();
  step.kind = NormalStep::kLiteral;
  step.pattern = " ";
  step.content = kSpaceMark;
}

// What both types of models share; `scores` by id.
template <typename Parts>
Status FillParts(const SpModel& model, Parts& parts) {
  AppendSpNormal(model, parts.normal);
  parts.shown = {ShownAs::kSpaceMarks, false, model.prefix, false, ""};
  parts.fallback.fuse = true;
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    const SpPiece& piece = model.pieces[id];
    const bool matched = piece.type == kNormal || piece.type == kUserDefined;
    parts.tokens.push_back({matched && !piece.text.empty() ? Token::kMatched : Token::kPlain,
                            std::string(piece.text)});
    parts.scores.push_back(piece.score);
    if (piece.type == kByte) parts.fallback.bytes = true;
    if (piece.type == kUnknown) parts.fallback.unknown = static_cast<uint32_t>(id);
    if ((piece.type == kControl || piece.type == kUserDefined) && !piece.text.empty()) {
      AddedToken& added = parts.added.emplace_back();
      added.id = static_cast<TokenId>(id);
      added.content = piece.text;
      added.special = piece.type == kControl;
      added.normalized = piece.type == kUserDefined;
    }
  }
  parts.shown.bytes = parts.fallback.bytes;
  return OkStatus();
}

Result<std::unique_ptr<Tokenizer>> Make(ByteView bytes) {
  FERRY_ASSIGN_OR_RETURN(const SpModel model, ReadModel(bytes));
  if (model.type == kUnigramModel) {
    UnigramParts parts;
    FERRY_TRY(FillParts(model, parts));
    return Unigram::Create(std::move(parts));
  }
  SpBpeParts parts;
  parts.by_scores = true;
  FERRY_TRY(FillParts(model, parts));
  return SpBpe::Create(std::move(parts));
}

}  // namespace

bool LooksLikeSentencePiece(ByteView bytes) {
  // The first piece, and in it its text.
  return bytes.size() > 4 && bytes[0] == 0x0a && bytes[2] == 0x0a;
}

Result<std::unique_ptr<Tokenizer>> TokenizerFromSentencePiece(ByteView bytes) {
  if (bytes.size() > kMaxTokenizerFileBytes) {
    return Status::Of(Code::kLimitExceeded, "a tokenizer of {} bytes, at most {}", bytes.size(),
                      kMaxTokenizerFileBytes);
  }
  auto made = Make(bytes);
  // The reader of the wire format is that of models.
  if (made.code() == Code::kBadModel) return Status(Code::kMalformed, made.status().message());
  return made;
}

}  // namespace ferry::llm
